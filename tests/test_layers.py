"""Imports go down only, and what that is good for: a light start, one place for strangers."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from os.path import normpath
from pathlib import Path
from typing import get_args

from bidi_server.config import Capability
from bidi_server.tools.base import offered

ROOT = Path(__file__).parents[1]

# A layer's modules begin with its name, the longest name that fits; what is listed is what they may import of ours.
LAYERS: dict[str, set[str]] = {
    "bidi_server.__main__": {"bidi_server.cli", "bidi_server.shell"},
    "bidi_server.cli": {
        "bidi_server",
        "bidi_server.commands",
        "bidi_server.config",
        "bidi_server.sdk",
        "bidi_server.shell",
        "bidi_server.secret",
    },
    "bidi_server.shell": {
        "bidi_server",
        "bidi_server.calls",
        "bidi_server.tools",
        "bidi_server.browser",
        "bidi_server.config",
        "bidi_server.advice",
        "bidi_server.errors",
    },
    "bidi_server.commands": {
        "bidi_server.attacks",
        "bidi_server.fence",
        "bidi_server",
        "bidi_server.audit",
        "bidi_server.sdk",
        "bidi_server.http",
        "bidi_server.stdio",
        "bidi_server.server",
        "bidi_server.tools",
        "bidi_server.browser",
        "bidi_server.bidi",
        "bidi_server.plan",
        "bidi_server.config",
        "bidi_server.egress",
        "bidi_server.addresses",
        "bidi_server.errors",
        "drivers",
        "bidi_server.escapes",
        "bidi_server.secret",
    },
    "bidi_server.attacks": {
        "bidi_server.addresses",
        "bidi_server.browser",
        "bidi_server.config",
        "bidi_server.egress",
        "bidi_server.errors",
        "bidi_server.fence",
        "bidi_server.server",
    },
    "bidi_server.testing": {
        "bidi_server.calls",
        "bidi_server.tools",
        "bidi_server.browser",
        "bidi_server.config",
        "bidi_server.advice",
        "bidi_server.errors",
        "bidi_server.escapes",
        "bidi_server.secret",
    },
    "bidi_server.http": {
        "bidi_server.fence",
        "bidi_server.access",
        "bidi_server.audit",
        "bidi_server.bearer",
        "bidi_server.grants",
        "bidi_server.oauth",
        "bidi_server.tools",
        "bidi_server.metrics",
        "bidi_server.declared",
        "bidi_server.server",
        "bidi_server.browser",
        "bidi_server.config",
    },
    "bidi_server.stdio": {
        "bidi_server",
        "bidi_server.declared",
        "bidi_server.icon",
        "bidi_server.sdk",
        "bidi_server.server",
        "bidi_server.tools",
        "bidi_server.browser",
        "bidi_server.config",
    },
    "bidi_server.declared": {"bidi_server.config"},
    "bidi_server.sdk": set(),
    "bidi_server.icon": set(),
    "bidi_server.subscriptions": {"bidi_server.browser", "bidi_server.tools"},
    "bidi_server.calls": {
        "bidi_server.tools",
        "bidi_server.browser",
        "bidi_server.bidi",
        "bidi_server.audit",
        "bidi_server.resources",
        "bidi_server.errors",
        "bidi_server.escapes",
        "bidi_server.secret",
    },
    "bidi_server.access": set(),
    "bidi_server.bearer": {
        "bidi_server.access",
        "bidi_server.audit",
        "bidi_server.declared",
        "bidi_server.grants",
    },
    "bidi_server.grants": {"bidi_server.config"},
    "bidi_server.oauth": {"bidi_server.access"},
    "bidi_server.audit": {"bidi_server.browser", "bidi_server.errors", "bidi_server.tools"},
    "bidi_server.metrics": {"bidi_server.browser"},
    "bidi_server.picks": {
        "bidi_server.browser",
        "bidi_server.escapes",
        "bidi_server.resources",
        "bidi_server.tools",
    },
    "bidi_server.server": {
        "bidi_server.fence",
        "bidi_server.audit",
        "bidi_server.sdk",
        "bidi_server",
        "bidi_server.declared",
        "bidi_server.icon",
        "bidi_server.picks",
        "bidi_server.subscriptions",
        "bidi_server.calls",
        "bidi_server.tools",
        "bidi_server.browser",
        "bidi_server.config",
        "bidi_server.secret",
    },
    "bidi_server.resources": {"bidi_server.browser"},
    "bidi_server.tools": {
        "bidi_server.fence",
        "bidi_server.browser",
        "bidi_server.bidi",
        "bidi_server.page.api",
        "bidi_server.plan",
        "bidi_server.config",
        "bidi_server.advice",
        "bidi_server.errors",
        "bidi_server.escapes",
        "bidi_server.secret",
    },
    "bidi_server.browser": {
        "bidi_server",
        "bidi_server.bidi",
        "bidi_server.classic",
        "bidi_server.page",
        "bidi_server.page.api",
        "bidi_server.plan",
        "bidi_server.config",
        "bidi_server.advice",
        "bidi_server.errors",
        "bidi_server.escapes",
        "bidi_server.http_credentials",
        "bidi_server.url_patterns",
        "bidi_server.egress",
        "bidi_server.addresses",
        "drivers",
        "bidi_server.secret",
    },
    "bidi_server.plan": {"drivers.json_values"},
    "bidi_server.classic": {"bidi_server.bidi", "bidi_server.page", "drivers"},
    "bidi_server.bidi": set(),
    "bidi_server.page": set(),
    "bidi_server.page.api": set(),
    "bidi_server.config": {"bidi_server.egress", "bidi_server.http_credentials", "bidi_server.url_patterns"},
    "bidi_server.secret": {"bidi_server.config", "bidi_server.errors", "bidi_server.http_credentials"},
    "bidi_server.egress": {"bidi_server.addresses", "bidi_server.url_patterns"},
    "bidi_server.http_credentials": set(),
    "bidi_server.url_patterns": {"bidi_server.addresses"},
    "bidi_server.addresses": set(),
    "bidi_server.errors": {"bidi_server.advice", "bidi_server.escapes"},
    "bidi_server.advice": set(),
    "bidi_server.escapes": set(),
    "bidi_server.fence": set(),
    "bidi_server": set(),
    "drivers": {"drivers.json_values"},
    "drivers.json_values": set(),
}
WITH_JSON = "bearer http oauth cli commands shell stdio tools browser bidi classic config secret"
for layer in WITH_JSON.split():
    LAYERS[f"bidi_server.{layer}"] |= {"drivers.json_values"}

BROWSER = "bidi_server.browser"

# A line for each folder of it, and for what the rooms of the engines have in common: the folders that this one may
# import, beside the modules of `BROWSER` itself and what those may import. Layers above may import any of them.
FOLDERS = {
    "sessions": "engine contexts tab network files",
    "engine": "engine.chromium engine.firefox engine.grid engine.webkit engine.quirks contexts tab snapshot network "
    "console files",
    "engine.chromium": "engine.quirks tab snapshot network console",
    "engine.firefox": "engine.quirks tab network",
    "engine.webkit": "engine.quirks network",
    "engine.grid": "contexts",
    "engine.quirks": "tab network",
    "contexts": "loading tab snapshot network console files",
    "pages": "settling actions loading tab snapshot network console files",
    "settling": "actions loading tab snapshot network console",
    "actions": "loading tab snapshot console",
    "loading": "tab snapshot network",
    "tab": "snapshot network console files",
    "snapshot": "",
    "network": "",
    "console": "",
    "files": "",
}
for folder, below in FOLDERS.items():
    LAYERS[f"{BROWSER}.{folder}"] = LAYERS[BROWSER] | {BROWSER, *(f"{BROWSER}.{name}" for name in below.split())}

SCRIPTS = ROOT / "bidi_server" / "page" / "src"

SCRIPT_FOLDERS = (".", "act", "tree", "spec", "dom", "realm")
"""Folders of the page's scripts: each imports from itself and from those after it."""

STARTS_BROWSERS = {
    "bidi_server.browser.engine.browser",
    "bidi_server.browser.engine.pool",
    "bidi_server.browser.sessions.handles",
    "bidi_server.browser.engine.installation",
    "bidi_server.browser.engine.grid.reaper",
    "bidi_server.browser.files.grid_node",
    "bidi_server.browser.engine.connect",
    "bidi_server.browser.engine.quirks",
    "bidi_server.browser.engine.chromium.quirks",
    "bidi_server.browser.engine.chromium.stalled_popups",
    "bidi_server.browser.pages.audit",  # axe-core, which `drivers` installs
}
"""The only modules of `BROWSER` that import drivers."""

CATCHES_ALL = {
    "bidi_server.calls": "a crash becomes an answer",
    "bidi_server.shell.daemon": "what is wrong with one command must not end the session",
    "bidi_server.browser.sessions.registry": "what is wrong with one idle session must not end the others",
    "bidi_server.bidi.connection": "a listener's mistake must not end the connection",
    "bidi_server.classic.transport": "a mistake in one command, or one look, must not end the server",
    "bidi_server.classic.session": "what is wrong with a request belongs to the task that waits for it",
    "bidi_server.classic.inspector": "a mistake about one event must not end the connection",
    "drivers.download": "webdriver-manager raises nothing more precise",
}
"""Where ``except Exception`` may stand, and why."""

PRODUCT = [path for folder in ("bidi_server", "drivers") for path in sorted((ROOT / folder).rglob("*.py"))]


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str | None:
    fitting = [layer for layer in LAYERS if module == layer or module.startswith(f"{layer}.")]
    return max(fitting, key=len, default=None)


def imports_of(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, at once or late. ``from a import b`` is a.b if that is a module."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom():
                package = name_of(path).split(".")
                if path.name != "__init__.py":
                    package = package[:-1]
                above = package[: len(package) - node.level + 1] if node.level else []
                module = ".".join([*above, *([node.module] if node.module else [])])
                for alias in node.names:
                    whole = f"{module}.{alias.name}"
                    file = ROOT.joinpath(*whole.split("."))
                    yield whole if file.with_suffix(".py").exists() or file.is_dir() else module
            case _:
                pass


def ours(module: str, imported: str) -> bool:
    """Whether a module may import that."""
    layer, target = layer_of(module), layer_of(imported)
    assert layer is not None
    if target == "drivers" and layer.startswith(BROWSER):
        return module in STARTS_BROWSERS
    if target is not None and target.startswith(BROWSER) and not layer.startswith(BROWSER):
        target = BROWSER
    return target is None or target == layer or target in LAYERS[layer]


def test_imports_go_down() -> None:
    imports = [(name_of(path), imported) for path in PRODUCT for imported in imports_of(path)]
    assert len(imports) > 300
    assert [(module, imported) for module, imported in imports if not ours(module, imported)] == []


def test_every_folder_has_its_line() -> None:
    browser = ROOT / "bidi_server" / "browser"
    folders = {path.parent.relative_to(browser) for path in browser.rglob("*/__init__.py")}
    assert {".".join(folder.parts) for folder in folders} == set(FOLDERS) - {"engine.quirks"}
    for folder, below in FOLDERS.items():
        order = list(FOLDERS)
        assert all(order.index(name) > order.index(folder) for name in below.split()), folder


def test_imports_of_the_page_s_scripts_go_down() -> None:
    found: list[tuple[str, str]] = []
    for path in SCRIPTS.rglob("*.js"):
        folder = path.parent.relative_to(SCRIPTS).as_posix()
        for target in re.findall(r"^(?:import|export)\b[^;]*?from '(\.[^']+)';", path.read_text("utf-8"), re.MULTILINE):
            needed = Path(normpath(path.parent / target)).parent.relative_to(SCRIPTS).as_posix()
            found.append((folder, needed))
    assert len(found) > 200
    assert [pair for pair in found if SCRIPT_FOLDERS.index(pair[0]) > SCRIPT_FOLDERS.index(pair[1])] == []


def test_no_module_leads_back_to_itself() -> None:
    """Neither at once, nor late, nor for types only; a CycleError names the way."""
    names = {name_of(path) for path in PRODUCT}
    graph = {name_of(path): {name for name in imports_of(path) if name in names} - {name_of(path)} for path in PRODUCT}
    assert set(TopologicalSorter(graph).static_order()) == names


def test_strangers_are_met_in_one_place() -> None:
    nobody, only_drivers = {"asyncio", "fixtures", "tests", "benchmarks", "docs"}, {"selenium", "webdriver_manager"}
    imports = [(name_of(path), name.partition(".")[0]) for path in PRODUCT for name in imports_of(path)]
    assert [(module, name) for module, name in imports if name in nobody] == []
    assert {layer_of(module) for module, name in imports if name in only_drivers} == {"drivers"}
    assert {module for module, name in imports if name == "pytest"} == {"bidi_server.testing.plugin"}


def test_everything_is_caught_where_we_say() -> None:
    found = {
        name_of(path)
        for path in PRODUCT
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception"))
    }
    assert found == set(CATCHES_ALL)


def test_a_server_is_there_before_its_tools_are() -> None:
    """What a client waits for before `initialize` is answered: the SDK, and next to nothing of ours."""
    script = "import sys, bidi_server.commands.serve; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = done.stdout.split()
    heavy = (
        "bidi_server.tools",
        "bidi_server.browser.tab.tab",
        "bidi_server.bidi.wire",
        "selenium",
        "webdriver_manager",
        "PIL",
        "psutil",
        "trio_websocket",
    )
    assert [name for name in loaded if name.startswith(heavy)] == []


def test_a_server_on_stdio_does_without_what_the_sdk_needs_for_http() -> None:
    script = """if True:
        import sys
        from bidi_server.sdk import defer
        defer()
        import bidi_server.stdio.messages
        print(*{name.partition(".")[0] for name in sys.modules})
        import mcp
        assert mcp.Client.__module__ == "mcp.client.client"  # what was put off comes when it is needed
        from mcp.server import Server
        assert Server.__module__ == "mcp.server.lowlevel.server"
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = done.stdout.split()
    assert "mcp_types" in loaded
    assert {"starlette", "uvicorn", "sse_starlette", "httpx2", "jsonschema"}.isdisjoint(loaded)


def test_a_command_of_a_session_imports_little() -> None:
    script = "import sys, bidi_server.shell.client; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = done.stdout.split()
    heavy = (
        "pathlib",
        "tempfile",
        "argparse",
        "typing",
        "logging",
        "trio",
        "pydantic",
        "mcp",
        "subprocess",
        "dataclasses",
    )
    assert [name for name in loaded if name in heavy] == []


def test_only_toolsets_and_commands_name_tools() -> None:
    """Operations give `Advice` without names of tools; each toolset fills in its own."""
    tools = [tool for tool in offered(["browser"], get_args(Capability)) if tool.startswith("browser_")]
    names = re.compile(rf"\b(?:{'|'.join(tools)})\b")
    found = {
        str(path.relative_to(ROOT / "bidi_server"))
        for path in (ROOT / "bidi_server").rglob("*.py")
        if path.relative_to(ROOT).parts[1] not in {"tools", "commands", "shell", "cli.py", "attacks"}
        and names.search(path.read_text("utf-8"))
    }
    # A sentence in the middle of a message, which has no place for advice; and the steps of plans, which are calls.
    assert found == {"browser/engine/installation.py", "plan/pytest_code.py"}
