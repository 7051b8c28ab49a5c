"""Tests of pages in Python: a pytest plugin, and a page with synchronous methods."""
