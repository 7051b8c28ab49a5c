"""Differences of Chromium, ChromeDriver and its mapper from the specifications."""
