"""Attacks of hostile pages, for `bidi-server doctor --attack` and for the tests: each case is here once."""
