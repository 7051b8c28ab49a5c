"""Browsers on a real Selenium Grid: `tox -e grid`."""
