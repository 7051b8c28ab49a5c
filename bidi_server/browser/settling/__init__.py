"""Waiting until an action has come to its end."""
