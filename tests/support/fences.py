"""Answers without the word that marks the texts of pages, for tests of what they say."""


def without_fence(text: str, fence: str) -> str:
    """Return the text of an answer as it would be without a fence."""
    if not fence:
        return text
    lines = [line.replace(f" {fence}", "", 1) for line in text.split("\n") if line.strip() != f"{fence}:"]
    return "\n".join(line for line in lines if line != "End")
