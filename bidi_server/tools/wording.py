"""Rewording of the operations' advice for the agent's toolset."""

import re
from collections.abc import Mapping

_TOOL = re.compile(r"\bbrowser_\w+")
_REF = re.compile(r" (?:\[ref=[^\]\s]+\]|\(ref: [^)\s]+\))")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def in_words_of(names: Mapping[str, str], text: str) -> str:
    """Return a text with the toolset's own tool names; sentences about tools that it lacks are left out."""

    def fits(sentence: str) -> bool:
        return all(tool in names for tool in _TOOL.findall(sentence))

    kept = filter(fits, _SENTENCE.split(text))
    return _TOOL.sub(lambda found: names[found[0]], " ".join(kept))


def without_refs(text: str) -> str:
    """Return a text without refs, for toolsets whose tools do not take them."""
    return _REF.sub("", text)
