"""Rewording of the operations' messages for the agent's toolset."""

import re

_REF = re.compile(r" (?:\[ref=[^\]\s]+\]|\(ref: [^)\s]+\))")


def without_refs(text: str) -> str:
    """Return a text without refs, for toolsets whose tools do not take them."""
    return _REF.sub("", text)
