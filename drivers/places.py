"""Where browsers and drivers are on each system: tables for `drivers.find`."""

import sys
from typing import Literal

Kind = Literal["browser", "driver", "display"]

COMMANDS: dict[tuple[str, Kind], tuple[str, ...]] = {
    ("chromium", "browser"): (
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
        "google-chrome-beta",
        "google-chrome-unstable",
        "microsoft-edge",
        "microsoft-edge-stable",
        "msedge",
    ),
    ("chromium", "driver"): ("chromedriver", "chromium.chromedriver", "msedgedriver"),
    ("firefox", "browser"): ("firefox-esr", "firefox", "firefox-beta", "firefox-devedition", "firefox-nightly"),
    ("firefox", "driver"): ("geckodriver",),
    ("webkit", "browser"): ("MiniBrowser", "cog"),
    ("webkit", "driver"): ("WebKitWebDriver", "safaridriver", "WPEWebDriver"),
    ("webkit", "display"): ("Xvfb",),
}

HEADLESS_SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
"""The engine without the browser's UI: it has no windows, extensions or PDF viewer, and opens tabs and pages in two
thirds of the time (https://developer.chrome.com/docs/chromium/headless)."""

ALSO_ON_PATH = () if sys.platform == "win32" else ("/usr/local/bin", "/usr/bin", "/opt/homebrew/bin", "/snap/bin")
"""Folders to search after the PATH: desktop programs start servers with a PATH that lacks some of these."""

PLACES: dict[tuple[str, str, Kind], tuple[str, ...]] = {
    ("linux", "webkit", "browser"): (
        "/usr/lib/*/webkit2gtk-4.1/MiniBrowser",
        "/usr/lib/*/webkitgtk-6.0/MiniBrowser",
        "/usr/lib/*/webkit2gtk-4.0/MiniBrowser",
        "/usr/libexec/webkit2gtk-4.1/MiniBrowser",
        "/usr/libexec/webkitgtk-6.0/MiniBrowser",
    ),
    ("darwin", "chromium", "browser"): (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    ("darwin", "firefox", "browser"): (
        "/Applications/Firefox.app/Contents/MacOS/firefox",
        "~/Applications/Firefox.app/Contents/MacOS/firefox",
        "/Applications/Firefox Developer Edition.app/Contents/MacOS/firefox",
    ),
    ("win32", "chromium", "browser"): (
        r"%PROGRAMFILES%\Google\Chrome\Application\chrome.exe",
        r"%PROGRAMFILES(X86)%\Google\Chrome\Application\chrome.exe",
        r"%LOCALAPPDATA%\Google\Chrome\Application\chrome.exe",
        r"%LOCALAPPDATA%\Chromium\Application\chrome.exe",
        r"%PROGRAMFILES(X86)%\Microsoft\Edge\Application\msedge.exe",
        r"%PROGRAMFILES%\Microsoft\Edge\Application\msedge.exe",
    ),
    ("win32", "firefox", "browser"): (
        r"%PROGRAMFILES%\Mozilla Firefox\firefox.exe",
        r"%PROGRAMFILES(X86)%\Mozilla Firefox\firefox.exe",
        r"%LOCALAPPDATA%\Mozilla Firefox\firefox.exe",
    ),
}

CACHED: dict[tuple[str, Kind], tuple[str, ...]] = {
    # NAME/PLATFORM/VERSION, then the layout in which Selenium Manager or webdriver-manager unpack it
    ("chromium", "browser"): (
        "chrome/*/*/chrome",
        "chrome/*/*/chrome.exe",
        "chrome/*/*/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    ),
    ("chromium", "driver"): (
        "chromedriver/*/*/chromedriver",
        "chromedriver/*/*/chromedriver.exe",
        "chromedriver/*/*/*/chromedriver",
        "chromedriver/*/*/*/chromedriver.exe",
    ),
    ("firefox", "browser"): (
        "firefox/*/*/firefox",
        "firefox/*/*/firefox.exe",
        "firefox/*/*/*/firefox",
        "firefox/*/*/Firefox.app/Contents/MacOS/firefox",
    ),
    ("firefox", "driver"): ("geckodriver/*/*/geckodriver", "geckodriver/*/*/geckodriver.exe"),
    ("webkit", "browser"): (),
    ("webkit", "driver"): (),
    ("webkit", "display"): (),
}
