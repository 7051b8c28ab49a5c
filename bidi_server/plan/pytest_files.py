"""The files that stand beside a generated test."""

CONFTEST = '''"""A browser for each test: pytest --browser chromium|firefox [--headed] [--base-url URL]."""

import pytest
from selenium import webdriver


def pytest_addoption(parser):
    parser.addoption("--browser", choices=["chromium", "firefox"], default="chromium")
    parser.addoption("--headed", action="store_true", help="show the browser")
    parser.addoption("--base-url", default=BASE_URL, help="origin of the site")


@pytest.fixture
def base_url(request):
    return request.config.getoption("--base-url").rstrip("/")


@pytest.fixture
def driver(request):
    is_headed = request.config.getoption("--headed")
    if request.config.getoption("--browser") == "firefox":
        options = webdriver.FirefoxOptions()
        if not is_headed:
            options.add_argument("-headless")
        driver = webdriver.Firefox(options)
    else:
        options = webdriver.ChromeOptions()
        if not is_headed:
            options.add_argument("--headless=new")
        driver = webdriver.Chrome(options)
    try:
        driver.set_window_size(VIEWPORT)
        yield driver
    finally:
        driver.quit()
'''

TOX = """[tox]
env_list = chromium, firefox
no_package = true

[testenv]
deps =
    pytest>=8
    selenium>=4.40
pass_env =
    DISPLAY
    HOME
    SE_*SECRETS
commands =
    chromium: pytest --browser chromium {posargs}
    firefox: pytest --browser firefox {posargs}
"""
