"""Tests of the pytest plugin: pytest runs pytest, with real browsers."""
