"""Differences of Firefox from the specifications."""
