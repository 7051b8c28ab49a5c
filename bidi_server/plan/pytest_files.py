"""The files that stand beside a generated test."""

_CONFTEST = '''"""A browser for each test: pytest --browser chromium|firefox [--headed] [--base-url URL]."""

import os
import shutil

import pytest
from selenium import webdriver


def pytest_addoption(parser):
    parser.addoption("--browser", choices=["chromium", "firefox"], default="chromium")
    parser.addoption("--headed", action="store_true", help="show the browser")
    parser.addoption("--binary", help="path of the browser, if it is not the one on the PATH")
    parser.addoption("--base-url", default=BASE_URL, help="origin of the site")


@pytest.fixture
def base_url(request):
    return request.config.getoption("--base-url").rstrip("/")


@pytest.fixture
def driver(request):
    option = request.config.getoption
    make = {"chromium": chromium, "firefox": firefox}[option("--browser")]
    driver = make(option("--binary"), option("--headed"))
    try:
        driver.set_window_size(VIEWPORT)
        yield driver
    finally:
        driver.quit()

ERRORS

def firefox(binary, is_headed):
    options = webdriver.FirefoxOptions()BIDI
    if binary := binary or first_of("firefox", "firefox-esr"):
        options.binary_location = binary
    if not is_headed:
        options.add_argument("-headless")
    return webdriver.Firefox(options)


def chromium(binary, is_headed):
    options = webdriver.ChromeOptions()BIDI
    if binary := binary or first_of("google-chrome", "chromium", "chromium-browser"):
        options.binary_location = binary
    if not is_headed:
        options.add_argument("--headless=new")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium's sandbox does not work for root, as in containers
    return webdriver.Chrome(options)


def first_of(*programs):
    return next(filter(None, map(shutil.which, programs)), None)
'''

_ERRORS = '''
@pytest.fixture
def errors(driver):
    """Collect the errors in the console."""
    found = []
    driver.script.add_javascript_error_handler(found.append)
    driver.script.add_console_message_handler(lambda entry: entry.level == "error" and found.append(entry))
    return found

'''


def conftest(base_url: str, viewport: str, *, reads_console: bool) -> str:
    """Return the text of ``conftest.py``; the parameters are expressions of Python."""
    bidi = "\n    options.enable_bidi = True" if reads_console else ""
    text = _CONFTEST.replace("BIDI", bidi).replace("ERRORS\n", _ERRORS if reads_console else "")
    return text.replace("BASE_URL", base_url).replace("VIEWPORT", viewport)


TOX = """[tox]
env_list = chromium, firefox
no_package = true

[testenv]
deps =
    pytest>=8
    selenium>=4.40MODULES
pass_env =
    DISPLAY
    HOME
    SE_*SECRETS
commands =
    chromium: pytest --browser chromium {posargs}
    firefox: pytest --browser firefox {posargs}
"""
