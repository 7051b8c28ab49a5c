"""Accessibility snapshots: take them with the page's script, render, outline and compare them."""
