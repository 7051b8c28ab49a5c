"""Requests of pages: recording, allow list, rules and proxies."""
