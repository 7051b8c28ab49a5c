"""Answers that must not change by accident."""
