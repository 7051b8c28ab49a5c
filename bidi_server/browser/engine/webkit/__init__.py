"""Differences of WebKit from the specifications, behind the mapper of classic WebDriver."""
