"""Firefox profiles: quiet from the first start, and with a warm startup cache from the second start of a build.

In a fresh profile, Firefox spends half of its first start on compiling its own scripts. It keeps the result in the
profile's `startupCache`, which is valid for exactly this build at exactly this path
(https://firefox-source-docs.mozilla.org/browser/startup). We keep one copy per build and put it into new profiles. The
cache contains no browsing data, only Firefox's own scripts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import getproxies

import trio

from drivers.find import cache_folder
from drivers.folders import remove, used_by_browser

if TYPE_CHECKING:
    from collections.abc import Mapping

    from drivers.options import LaunchOptions

OURS = "// Written by bidi-server at every start. Without this line it is left alone.\n"

FINE_POINTER, HOVER = 2, 4

LOOPBACK_TOO = "network.proxy.allow_hijacking_localhost"
"""Preference to send requests to this machine through a proxy too.

Not set if this machine itself uses a proxy, unless a context's own proxy has to see everything.
"""

ANYWHERE: Mapping[str, str | int | bool] = {
    # a context's proxy applies to all of its traffic
    LOOPBACK_TOO: True,
    # An open file picker prevents its input from opening another one, and cannot be closed from outside:
    # Firefox 153 ignores the prompt behavior "file" (https://bugzilla.mozilla.org/show_bug.cgi?id=1999693).
    "remote.bidi.dismiss_file_pickers.enabled": True,
}
"""Preferences that also apply to a Firefox started by a Grid or another driver."""

NOWHERE = "proxy.invalid"
"""A host that does not exist: https://www.rfc-editor.org/rfc/rfc6761#section-6.4."""

CONFINING: Mapping[str, str | int | bool] = {
    "media.peerconnection.ice.proxy_only": True,
    "network.http.http3.enable": False,
    "network.proxy.failover_direct": False,
    "network.dns.disabled": True,
    "network.trr.mode": 5,
    # What does not go through the proxy of a context goes nowhere: Firefox 153 sends a frame without a URL of its own
    # (srcdoc, blob:) that has <meta http-equiv=refresh> as if it were in no context.
    "network.proxy.type": 1,
    "network.proxy.http": NOWHERE,
    "network.proxy.http_port": 1,
    "network.proxy.ssl": NOWHERE,
    "network.proxy.ssl_port": 1,
    "network.proxy.socks": NOWHERE,
    "network.proxy.socks_port": 1,
}
"""Preferences for `LaunchOptions.confined`."""

WEB_TOOLS = {"dom.modelcontext.enabled": True, "dom.modelcontext.testing.enabled": True}
"""Preferences with which pages can offer tools to agents: the second one adds the methods that call them."""

# Preferences that must be set before Firefox starts. The remote agent sets the others that automation needs:
# https://searchfox.org/mozilla-central/source/remote/shared/RecommendedPreferences.sys.mjs
PREFERENCES: Mapping[str, str | int | bool] = {
    # one blank tab, and nothing in front of pages
    "browser.startup.page": 0,
    "browser.startup.homepage": "about:blank",
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.couldRestoreSession.count": -1,
    "browser.newtabpage.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.preonboarding.enabled": False,
    "browser.sessionstore.resume_from_crash": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.uitour.enabled": False,
    "startup.homepage_welcome_url": "about:blank",
    "startup.homepage_welcome_url.additional": "",
    "termsofuse.bypassNotification": True,
    "trailhead.firstrun.didSeeAboutWelcome": True,
    "toolkit.startup.max_resumed_crashes": -1,
    # going back reloads the page: a frozen page is restored without any event
    "fission.bfcacheInParent": False,
    "browser.sessionhistory.max_total_viewers": 0,
    # keep background pages running
    "dom.min_background_timeout_value": 4,
    "dom.timeout.enable_budget_timer_throttling": False,
    # no requests except those of pages
    "app.normandy.enabled": False,
    "app.normandy.api_url": "",
    "app.shield.optoutstudies.enabled": False,
    "nimbus.rollouts.enabled": False,
    "app.update.disabledForTesting": True,
    "app.update.checkInstallTime": False,
    "browser.region.network.url": "",
    "browser.region.update.enabled": False,
    "browser.safebrowsing.blockedURIs.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "browser.search.update": False,
    "browser.topsites.contile.enabled": False,
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "datareporting.policy.dataSubmissionPolicyBypassNotification": True,
    "datareporting.usage.uploadEnabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "network.http.speculative-parallel-limit": 0,
    "network.prefetch-next": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "toolkit.telemetry.server": "data:,",
    "toolkit.telemetry.unified": False,
    # a mouse, as on a desktop: without one, pages in headless Firefox match neither (hover: hover) nor (pointer: fine)
    "ui.allPointerCapabilities": FINE_POINTER | HOVER,
    "ui.primaryPointerCapabilities": FINE_POINTER | HOVER,
    # show JSON as the server sent it, not in a viewer with buttons and a policy that blocks requests of scripts
    "devtools.jsonview.enabled": False,
    # extensions only from the profile and from Firefox itself
    "extensions.autoDisableScopes": 0,
    "extensions.enabledScopes": 5,
    "extensions.installDistroAddons": False,
}

WARM = ("startupCache", "compatibility.ini")
COMPLETE = "startupCache/scriptCache.bin"
"""File that Firefox writes last, a few seconds after its start."""
SETTLED_SECONDS = 2.0


async def prepare_profile(options: LaunchOptions, program: Path, folder: Path) -> Path:
    """Return the profile to start with: the persistent one, or a new one in the run folder. Raises LaunchError."""

    def prepare() -> Path:
        profile = (options.user_data_dir or folder / "profile").absolute()
        with used_by_browser(options.user_data_dir or folder.parent):
            profile.mkdir(parents=True, exist_ok=True)
            settings = profile / "user.js"
            if not settings.exists() or settings.read_text(encoding="utf-8").startswith(OURS):
                ours = {**PREFERENCES, **preferences_anywhere(options)}
                if getproxies() and not options.confined:
                    del ours[LOOPBACK_TOO]
                settings.write_text(user_js({**ours, **dict(options.preferences)}), encoding="utf-8")
        warm = warm_folder(program)
        if options.user_data_dir is None and warm is not None and warm.is_dir():
            try:
                shutil.copytree(warm, profile, dirs_exist_ok=True)
            except OSError:  # too little space for it: it is only a cache
                for name in WARM:
                    shutil.rmtree(profile / name, ignore_errors=True)
                    (profile / name).unlink(missing_ok=True)
        return profile

    try:
        return await trio.to_thread.run_sync(prepare)
    except BaseException:
        remove(folder)
        raise


def preferences_anywhere(options: LaunchOptions) -> dict[str, str | int | bool]:
    """Return our preferences for a Firefox that may be started by a Grid or another driver."""
    return {**ANYWHERE, **(WEB_TOOLS if options.web_tools else {}), **(CONFINING if options.confined else {})}


def user_js(preferences: Mapping[str, str | int | bool]) -> str:
    """Return preferences in Firefox's own format, whose literals are those of JSON."""
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()]
    return OURS + "".join(lines)


async def keep_warm(program: Path, profile: Path) -> None:
    """Keep the startup cache of a temporary profile for the next start.

    Does nothing if a cache is kept already, or if that of the profile is incomplete.
    """

    def keep() -> None:
        warm = warm_folder(program)
        if warm is None or warm.exists() or not settled(profile):
            return
        warm.parent.mkdir(parents=True, exist_ok=True)
        half = Path(tempfile.mkdtemp(prefix=".half-", dir=warm.parent))
        try:
            shutil.copytree(profile / WARM[0], half / WARM[0])
            shutil.copy2(profile / WARM[1], half / WARM[1])
            half.rename(warm)
        except OSError:  # or another process was first
            shutil.rmtree(half, ignore_errors=True)
            raise

    with suppress(OSError):  # a full disk, or files that vanish: it is only a cache
        await trio.to_thread.run_sync(keep)


def settled(profile: Path) -> bool:
    """Whether Firefox wrote the last part of its startup cache more than `SETTLED_SECONDS` ago."""
    if not (profile / COMPLETE).is_file():
        return False
    newest = max(file.stat().st_mtime for file in (profile / WARM[0]).iterdir())
    return time.time() - newest > SETTLED_SECONDS


def warm_folder(program: Path) -> Path | None:
    """Return the folder for the startup cache of this build, or None for a Firefox that does not report its build."""
    build = application_ini(program).get("BuildID")
    if not build:
        return None
    path = hashlib.sha256(os.fsencode(program.resolve())).hexdigest()[:8]
    return cache_folder() / "firefox-startup" / f"{build}-{path}"


def application_ini(program: Path) -> Mapping[str, str]:
    """Return the [App] section of a Firefox's application.ini; empty if there is no such file.

    Reading version and build from this file is much faster than `--version`, which takes up to half a second.
    """
    folder = program.resolve().parent
    for path in (folder / "application.ini", folder.parent / "Resources" / "application.ini"):
        if path.is_file():
            section = path.read_text(encoding="utf-8").partition("[App]")[2].partition("\n[")[0]
            return dict(re.findall(r"^(\w+)=(.*?)\s*$", section, re.MULTILINE))
    return {}
