"""Programs for machines that tests make up."""

from pathlib import Path


def program(path: Path, text: str) -> Path:
    """Write a program to run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path
