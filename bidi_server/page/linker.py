"""Links the ES modules in `src` into one expression that a sandbox realm can evaluate.

The linker supports only the subset of module syntax that the sources use: `import {a, b as c} from './d.js';` and
`export {a} from './d.js';` at the start of a line, and `export` before a `function`, `async function`, `const` or
`class` declaration. Any other module syntax raises an error.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath
from typing import cast

from rjsmin import jsmin  # pyright: ignore[reportUnknownVariableType] - it has no types

_NEED = re.compile(r"^(import|export)\s*\{([^}]*)\}\s*from\s*'(\.\.?/[\w./-]+\.js)';[ \t]*$", re.MULTILINE)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|const|class)\s+(\w+)", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]")

_STAGES = ("early.js", "main.js", "act/act.js", "act/extra.js")
"""The entries. Firefox 153 needs 3 to 5 ms in each document for 100 kB of modules, Chromium 156 compiles them once."""
_GLOBAL = "__bidi"
_WARM_UP = "warmUp"


class LinkError(Exception):
    """The modules cannot be linked; the message names the module and what to change in it."""


@cache
def bundle(*, as_text: bool = False) -> str:
    """Return the walker as one expression that defines `globalThis.__bidi` in the realm it is evaluated in.

    The expression's value is the exports of `early.js`. Evaluating it again in the same realm changes nothing, so
    elements keep their refs, and returns undefined. With `as_text`, it has the form that is faster in browsers which do
    not reuse compiled code between documents; every browser can evaluate both forms.
    """
    folder = resources.files("bidi_server.page") / "src"
    sources = dict(_sources(folder))
    return link(sources, _STAGES, as_text=as_text)


def _sources(folder: Traversable, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each module below a folder."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _sources(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(".js"):
            yield f"{path}{entry.name}", entry.read_text("utf-8")


@cache
def page_script(name: str) -> str:
    """Return the function that ``name``.js in this folder defines for the page's own realm, such as "listen"."""
    source = (resources.files("bidi_server.page") / f"{name}.js").read_text("utf-8")
    return compact(source).removesuffix(";")


def compact(source: str) -> str:
    r"""Return the source without comments and unnecessary white space, and with escapes for what is outside of ASCII.

    Chromium 156 sends the script to the renderer of each document. One character like `\u2022` makes it two bytes for
    each, at 1.3 ms for 100,000 characters.
    """
    short = cast("str", jsmin(source))
    return _OUTSIDE_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], short)


def link(sources: Mapping[str, str], entries: Sequence[str], *, as_text: bool = False) -> str:
    """Return one expression that makes the exports of all `entries` but the first the properties of `__bidi`.

    The modules that the first entry needs are evaluated at once, and its exports are the expression's value. Other
    modules wait until an export of the first entry that needs them is read. Sooner than that, the loaded page evaluates
    those of the second entry at once, and those of further entries but the last when it is idle after the first use of
    the second: before that, they would delay it by 5 ms in Firefox 153. Then it also calls the function `warmUp` that
    such an entry may export for this. Modules wait as functions if the browser keeps compiled code, as they are then
    compiled once for many documents, or else (`as_text`) as strings, which cost little before their evaluation.

    `sources` maps file names to module text. Raises LinkError for a missing module, a missing export, a cycle,
    or module syntax outside of the supported subset.
    """
    stages: list[list[str]] = []
    for entry in entries:
        before = [name for stage in stages for name in stage]
        stages.append([name for name in _order(sources, entry) if name not in before])
    exports = {name: _exports(sources[name]) for stage in stages for name in stage}

    def evaluated(names: Iterable[str]) -> str:
        return "\n".join(_wrap(name, sources[name], exports) for name in names)

    def waiting(number: int) -> str:
        """Return a function that takes the modules of the stages before one, and returns those and its own."""
        given = [name for stage in stages[:number] for name in stage]
        everything = _object([*given, *stages[number]])
        function = f"(({_object(given)}) => {{\n{evaluated(stages[number])}\nreturn {everything};\n}})"
        # The page's Content Security Policy does not apply to the sandbox realm; test_hostile.py verifies this.
        text = json.dumps(f'"use strict";\n{function}')
        return f"(0, eval)({text})" if as_text else function

    def warm(number: int) -> str:
        """Return a function that evaluates the modules of a stage and calls `warmUp`, if its entry exports that."""
        entry, load = entries[number], f"load{number}"
        return f"() => {load}().{_variable(entry)}.{_WARM_UP}()" if _WARM_UP in exports[entry] else load

    later = range(1, len(stages))
    loaders = "".join(
        f"let modules{number};\n"
        f"const load{number} = () => modules{number} ??= {waiting(number)}"
        f"({f'load{number - 1}()' if number > 1 else _object(stages[0])});\n"
        for number in later
    )
    getters = "".join(
        f"get {name}() {{ {'use(); ' if number == 1 else ''}return load{number}().{_variable(entry)}.{name}; }}, "
        for number, entry in enumerate(entries[1:], start=1)
        for name in exports[entry]
        if name != _WARM_UP
    )
    idle = " ".join(f"requestIdleCallback({warm(number)});" for number in later[1:-1])
    use = f"let used = false;\nconst use = () => {{ if (!used) {{ used = true; {idle} }} }};\n"
    return (
        "(() => {\n"
        '"use strict";\n'
        # Own properties only: on a window, `<iframe name=__bidi>` would answer for a missing global.
        f"if (Object.hasOwn(globalThis, '{_GLOBAL}')) return;\n"
        f"{evaluated(stages[0])}\n"
        f"{loaders}{use}"
        f"Object.defineProperty(globalThis, '{_GLOBAL}', {{value: Object.freeze({{{getters}}})}});\n"
        "addEventListener('load', () => { setTimeout(load1, 0); }, {once: true});\n"
        f"return {_variable(entries[0])};\n"
        "})()"
    )


def _object(names: Iterable[str]) -> str:
    """Return an object with these modules, or the pattern that takes them from one."""
    return f"{{{', '.join(map(_variable, names))}}}"


def _order(sources: Mapping[str, str], entry: str) -> list[str]:
    """Return the modules that `entry` needs, each after the modules that it imports."""
    done: list[str] = []
    trail: list[str] = []

    def visit(name: str, importer: str) -> None:
        if name in done:
            return
        if name in trail:
            cycle = " -> ".join([*trail[trail.index(name) :], name])
            raise LinkError(f"{importer} imports in a circle: {cycle}. Move what both need into a module of its own.")
        if name not in sources:
            raise LinkError(
                f"{importer} imports {name}, which does not exist. There are: {', '.join(sorted(sources))}."
            )
        trail.append(name)
        for match in _NEED.finditer(sources[name]):
            visit(_target(name, match[3]), name)
        trail.pop()
        done.append(name)

    visit(entry, "the entry")
    return done


def _exports(source: str) -> list[str]:
    passed_on = [here for match in _NEED.finditer(source) if match[1] == "export" for _, here in _names(match[2])]
    return [*passed_on, *(match[2] for match in _EXPORT.finditer(source))]


def _names(listed: str) -> list[tuple[str, str]]:
    """Return the pairs of exported and local names that `a, b as c` lists."""
    pairs = [re.split(r"\s+as\s+", name.strip()) for name in listed.split(",") if name.strip()]
    return [(pair[0], pair[-1]) for pair in pairs]


def _wrap(name: str, source: str, exports: Mapping[str, list[str]]) -> str:
    passed_on: dict[str, str] = {}
    needs: list[str] = []

    def bind(match: re.Match[str]) -> str:
        needed = _target(name, match[3])
        wanted, offered = _names(match[2]), exports[needed]
        if missing := [there for there, _ in wanted if there not in offered]:
            raise LinkError(
                f"{name} needs {missing[0]} from {needed}, which exports {', '.join(offered) or 'nothing'}."
            )
        if match[1] == "export":
            passed_on.update({here: f"{here}: {_variable(needed)}.{there}" for there, here in wanted})
            return ""
        bindings = ", ".join(there if there == here else f"{there}: {here}" for there, here in wanted)
        needs.append(f"const {{{bindings}}} = {_variable(needed)};\n")
        return ""

    body = _EXPORT.sub(r"\1 \2", _NEED.sub(bind, source))
    if strange := _UNKNOWN.search(body):
        raise LinkError(
            f"{name}: cannot link {strange[0].strip()!r}. Write `import {{a}} from './b.js';` or `export function a`."
        )
    given = ", ".join(passed_on.get(export, export) for export in exports[name])
    return f"const {_variable(name)} = (() => {{\n{''.join(needs)}{compact(body)}\nreturn {{{given}}};\n}})();"


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("-", "_").replace("/", "$")


def _target(importer: str, path: str) -> str:
    """Return the name of a module that an importer names by a path from its own folder."""
    return normpath(join(dirname(importer), path))
