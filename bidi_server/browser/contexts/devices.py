"""Devices to emulate, by name.

Sizes and pixel ratios are those that the makers' browsers report. A phone's user agent is that of its usual browser.
"""

from dataclasses import dataclass, replace
from difflib import get_close_matches

from bidi_server.browser.contexts.emulation import Emulation, Hints
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError

LANDSCAPE = " landscape"
"""End of the name of a device that is turned to its side."""

_AGENTS = {
    # Safari 26 no longer says which iOS it runs on, and asks for pages as on a Mac where it runs on an iPad.
    "iphone": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/26.0 Mobile/15E148 Safari/604.1",
    "ipad": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/26.0 Safari/605.1.15",
    # Chrome's is the same for all devices of a form: https://www.chromium.org/updates/ua-reduction/
    "android": "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/150.0.0.0 Mobile Safari/537.36",
    "android tablet": "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/150.0.0.0 Safari/537.36",
}
"""User agents by the system of a device."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device, upright. Sizes are in CSS pixels."""

    width: int
    height: int
    pixel_ratio: float
    system: str
    """A key of `_AGENTS`; "" for a computer."""
    model: str = ""

    @property
    def emulation(self) -> Emulation:
        """The emulation of the device."""
        is_phone = self.system in ("iphone", "android")
        return Emulation(
            user_agent=_AGENTS.get(self.system),
            hints=Hints("Android", self.model, is_phone) if self.system.startswith("android") else None,
            viewport=(self.width, self.height),
            pixel_ratio=self.pixel_ratio,
            mobile=bool(self.system),
            touch=bool(self.system),
        )


DEVICES = {
    "iPhone SE": Device(375, 667, 2, "iphone"),
    "iPhone 15": Device(393, 852, 3, "iphone"),
    "iPhone 15 Pro Max": Device(430, 932, 3, "iphone"),
    "iPhone 16": Device(393, 852, 3, "iphone"),
    "iPhone 16 Pro": Device(402, 874, 3, "iphone"),
    "iPhone 16 Pro Max": Device(440, 956, 3, "iphone"),
    "iPad Mini": Device(744, 1133, 2, "ipad"),
    "iPad": Device(820, 1180, 2, "ipad"),
    "iPad Pro 11": Device(834, 1194, 2, "ipad"),
    "iPad Pro 13": Device(1024, 1366, 2, "ipad"),
    "Pixel 7": Device(412, 915, 2.625, "android", "Pixel 7"),
    "Pixel 8": Device(412, 915, 2.625, "android", "Pixel 8"),
    "Pixel 9": Device(412, 923, 2.625, "android", "Pixel 9"),
    "Galaxy S24": Device(360, 780, 3, "android", "SM-S921B"),
    "Galaxy A55": Device(384, 832, 2.8125, "android", "SM-A556B"),
    "Galaxy Tab S9": Device(800, 1280, 2, "android tablet", "SM-X710"),
    "Desktop": Device(1280, 720, 1, ""),
    "Desktop HiDPI": Device(1280, 720, 2, ""),
    "Desktop Full HD": Device(1920, 1080, 1, ""),
}
"""The devices, upright."""


def emulation_of(name: str) -> Emulation:
    """Return the emulation of a device; `LANDSCAPE` after its name turns it.

    Raises `InvalidParametersError` for an unknown name.
    """
    names = {each.lower(): each for each in DEVICES}
    wanted = name.strip().lower()
    device = DEVICES.get(names.get(wanted.removesuffix(LANDSCAPE), ""))
    if device is None:
        close = get_close_matches(wanted, names, 1)
        hint = f"Did you mean {names[close[0]]}? " if close else ""
        raise InvalidParametersError(f"There is no device {clip(name)!r}.", f"{hint}Devices: {', '.join(DEVICES)}.")
    if wanted.endswith(LANDSCAPE):
        return replace(device.emulation, viewport=(device.height, device.width))
    return device.emulation
