"""Requests of pages: what is recorded, allowed, throttled and proxied."""
