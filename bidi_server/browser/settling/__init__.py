"""Settling: waiting until the effects of an action are over."""
