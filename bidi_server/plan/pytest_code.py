"""A test for pytest and Selenium from a plan, without anything of bidi-server in it."""

import builtins
import json
import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from bidi_server.plan.model import POSITIONAL, Caused, Element, Plan, Step
from bidi_server.plan.pytest_files import TOX, conftest
from bidi_server.plan.pytest_helpers import (
    HELPERS,
    MODULES,
    PLAIN_MODULES,
    ROLES,
    WIDTH,
    imports_for,
    names_in,
    needed_by,
    roles_for,
)
from drivers.json_values import is_array, is_object

MAX_FUNCTION_NAME = 40

FOLLOWING = ("browser_audit", "browser_handle_dialog", "browser_verify_", "browser_wait_for")
"""Beginnings of the names of tools whose steps belong to the step before."""

TEXT_ROLES = ("textbox", "searchbox", "combobox")
"""Roles of inputs that take typed text."""

STATES = ("checked", "enabled", "selected", "expanded", "editable", "focused")
"""States of elements that a test can check."""

FIXTURES = ("driver", "base_url", "errors")
"""Fixtures that a function of a test may take as parameters."""

NOT_CSS = re.compile(
    r"\s*(?:(?:await\s+)?(?:page\s*\.\s*)?(?:get_?by_?\w+|(?:frame_?)?locator)\s*\(|(?!css=)\w[\w-]*=|\(*/)"
    r"|.*?(?:(?<!>)>>(?!>)|:(?:has-text|text|text-is|visible|nth-match)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""Selectors that Selenium does not take as CSS: locators, selectors with the name of an engine, and XPath."""

SET_TYPES = ("date", "datetime-local", "month", "time", "week")
"""Types of inputs whose text form depends on the browser's language."""

_KEYS = {
    "Control": "CONTROL",
    "ControlOrMeta": "CONTROL",
    "Shift": "SHIFT",
    "Alt": "ALT",
    "Meta": "META",
    "Enter": "ENTER",
    "Tab": "TAB",
    "Escape": "ESCAPE",
    "Backspace": "BACKSPACE",
    "Delete": "DELETE",
    "Space": "SPACE",
    "Home": "HOME",
    "End": "END",
    "PageUp": "PAGE_UP",
    "PageDown": "PAGE_DOWN",
    "ArrowUp": "ARROW_UP",
    "ArrowDown": "ARROW_DOWN",
    "ArrowLeft": "ARROW_LEFT",
    "ArrowRight": "ARROW_RIGHT",
    **{f"F{number}": f"F{number}" for number in range(1, 13)},
}
"""Names of keys in Selenium."""


@dataclass(frozen=True, slots=True)
class Export:
    """The files of a test, and what could not be put into them."""

    files: Mapping[str, str]
    """Texts by file name."""
    left_out: Sequence[str]
    """Steps without a counterpart in Selenium, as sentences."""


@dataclass(slots=True)
class _Function:
    """A function of the test: the steps on one page up to the one that completes something."""

    name: str
    doc: str
    lines: list[str] = field(default_factory=list[str])

    @property
    def parameters(self) -> str:
        """Its parameters, and the arguments of a call."""
        return _parameters(self.lines, "driver")


def export_pytest(plan: Plan) -> Export:
    """Return the files of a test that does the steps of a plan."""
    left_out: list[str] = []
    functions = [_function(group, plan, left_out) for group in _groups(plan.steps)]
    functions = [each for each in functions if each.lines]
    _make_unique(functions)
    name = f"test_{_words(plan.name) or 'session'}"
    calls = [f"    {each.name}({each.parameters})" for each in functions]
    head = f"def {name}({_parameters(calls, 'driver', 'base_url')}):"
    parts = ["\n".join([head, *(calls or ["    pass"])]), *map(_definition, functions)]
    body = "\n\n\n".join(parts)
    helpers = "\n\n\n".join(HELPERS[each] for each in needed_by(body))
    roles = [match[1] for match in re.finditer(r'by_role\("(\w+)"', body)]
    code = "\n\n\n".join(
        part
        for part in (
            "\n\n".join(
                each
                for each in (
                    f'"""{_sentence(plan.name or "A session")}"""',
                    imports_for(f"{body}\n{helpers}"),
                    "TIMEOUT = 10  # seconds",
                    roles_for(roles).rstrip() if roles else "",
                )
                if each
            ),
            body,
            f"# Helpers\n\n\n{helpers}" if helpers else "",
        )
        if part
    )
    files = {
        f"{name}.py": f"{code}\n",
        "conftest.py": conftest(json.dumps(plan.base_url), _viewport(plan), reads_console="errors" in names_in(head)),
        "tox.ini": TOX.replace("SECRETS", "".join(f"\n    {secret}" for secret in plan.secrets)).replace(
            "MODULES", "\n    pyotp>=2.9" if "pyotp." in code else ""
        ),
    }
    return Export(files, left_out)


def _parameters(lines: Sequence[str], *always: str) -> str:
    """Return the fixtures that some lines use, and those that are always there."""
    used = {*names_in("\n".join(lines)), *always}
    return ", ".join(name for name in FIXTURES if name in used)


def _definition(function: _Function) -> str:
    doc = f'    """{function.doc}"""'
    return "\n".join([f"def {function.name}({function.parameters}):", doc, *_indented(function.lines)])


def _viewport(plan: Plan) -> str:
    width, height = plan.viewport or (1280, 720)
    return f"{width}, {height}"


def _groups(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Yield the steps of each function: up to a step that changes the page, with the checks behind it."""
    group: list[Step] = []
    is_complete = False
    for step in steps:
        if group and is_complete and not step.tool.startswith(FOLLOWING):
            yield group
            group, is_complete = [], False
        group.append(step)
        is_complete = is_complete or step.caused.navigated or step.tool == "browser_navigate" or _is_button(step)
    if group:
        yield group


def _is_button(step: Step) -> bool:
    element = step.elements.get("selector")
    return step.tool == "browser_click" and element is not None and element.role in ("button", "link")


def _function(group: Sequence[Step], plan: Plan, left_out: list[str]) -> _Function:
    lines: list[str] = []
    for step in _together(group):
        try:
            lines += [*_code(step, plan), *_effects(step, plan)]
        except _NoCounterpartError as error:
            left_out.append(f"{step.tool}: {error}")
            lines.append(f"# {step.tool}: {error}")
    return _Function(*_names(group), lines)


def _together(steps: Sequence[Step]) -> list[Step]:
    """Return the steps, with several presses of a key that cause nothing as one step."""
    found: list[Step] = []
    for step in steps:
        key, before = _key(step), found[-1] if found else None
        if before is not None and key is not None and _key(before) == key and before.caused == Caused():
            found[-1] = replace(step, arguments={**step.arguments, "repeat": _times(before) + _times(step)})
        else:
            found.append(step)
    return found


def _key(step: Step) -> object:
    return step.arguments["key"] if step.tool == "browser_press_key" else None


def _times(step: Step) -> int:
    times = step.arguments.get("repeat")
    return times if isinstance(times, int) else 1


class _NoCounterpartError(Exception):
    """Selenium has nothing for a step."""


def _names(group: Sequence[Step]) -> tuple[str, str]:
    """Return the name and the docstring of the function for some steps."""
    for step in reversed(group):
        element = step.elements.get("selector")
        match step.tool:
            case "browser_navigate" | "browser_tabs" if step.arguments.get("url"):
                path = urlsplit(step.url).path.strip("/")
                what = _words(step.title) or _words(path) or "page"
                return f"open_{what}", f"Open {_plain(step.title or path) or 'the first page'}."
            case "browser_click" if element is not None and element.name:
                return _name_of_click(step, element), f"Click {_quoted(element)}."
            case "browser_type" if element is not None and step.arguments.get("submit"):
                return f"submit_{_words(element.name) or element.role}", f"Enter {_quoted(element)}."
            case "browser_fill_form":
                return "fill_in_form", "Fill in the form."
            case "browser_press_key":
                key = str(step.arguments.get("key"))
                return f"press_{_words(key) or 'key'}", f"Press {_plain(key)}."
            case _:
                continue
    actions = [step for step in group if not step.tool.startswith(FOLLOWING)]
    tool = (actions or group)[-1].tool.removeprefix("browser_")
    return tool, f"{tool.replace('_', ' ').capitalize()}."


def _name_of_click(step: Step, element: Element) -> str:
    words = _words(element.name)
    if element.role == "link" and step.caused.navigated:
        return f"open_{words or 'link'}"
    return words if words and element.role in ("button", "link") else f"click_{words or element.role}"


def _quoted(element: Element) -> str:
    name = _plain(element.name)
    return f"the {element.role} {name!r}" if name else f"the {element.role}"


def _make_unique(functions: Sequence[_Function]) -> None:
    taken = {*HELPERS, *MODULES, *PLAIN_MODULES, *dir(builtins), *keyword.kwlist, "driver", "base_url"}
    for each in functions:
        name, number = each.name, 2
        while name in taken:
            name, number = f"{each.name}_{number}", number + 1
        each.name = name
        taken.add(name)


def _words(text: str) -> str:
    """Return a text as a Python name, or "" if it has no letters for one."""
    words = [word for word in re.findall(r"[^\W_]+", text.lower()) if not word.isdecimal()]
    name = "_".join(words)[:MAX_FUNCTION_NAME].strip("_")
    return f"n{name}" if name[:1].isdigit() else name


def _sentence(text: str) -> str:
    plain = _plain(text.replace("_", " "))
    return f"{plain[:1].upper()}{plain[1:]}."


def _plain(text: str) -> str:
    """Return a text for a docstring or a comment: on one line, without quotes, backslashes and invisible characters."""
    shown = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(re.sub(r'[\\"]', " ", shown).split())


def _code(step: Step, plan: Plan) -> list[str]:
    """Return the statements for a step. Raises `_NoCounterpartError`."""
    write = _WRITERS.get(step.tool)
    if write is None:
        raise _NoCounterpartError("Selenium has no counterpart.")
    return write(step, plan)


def _effects(step: Step, plan: Plan) -> Iterator[str]:
    """Yield a statement that waits for the page that a step led to."""
    if step.caused.navigated and step.tool not in ("browser_navigate", "browser_tabs") and step.url:
        yield f"on_page(driver, {_url_pattern(step.url, plan.base_url)})"


def _url_pattern(url: str, base_url: str) -> str:
    """Return an expression for a regular expression that matches a URL, with any numbers and any origin of the test."""
    path = url.removeprefix(base_url) if base_url else url
    pattern = r"\d+".join(re.escape(part) for part in re.split(r"\d+", path))
    pattern = re.sub(r"\\([-#&~])", r"\1", pattern)
    text = f'r"{pattern}"' if pattern.isprintable() and '"' not in pattern else ascii(pattern)
    return f"re.escape(base_url) + {text}" if path != url else text


def _url(url: str, plan: Plan) -> str:
    if plan.base_url and url.startswith(plan.base_url):
        path = url.removeprefix(plan.base_url)
        return f"base_url + {_text(path)}" if path else "base_url"
    return _text(url)


def _typed(step: Step, value: object) -> str:
    """Return the expression for a text that goes into a field; that of a secret reads the environment."""
    parts: list[str] = []
    for part in re.split(r"(\{\{\w+(?:\.totp)?\}\})", str(value)):
        name, _, kind = part[2:-2].partition(".")
        if not part.startswith("{{") or name not in step.secrets:
            parts += [_text(part)] if part else []
        else:
            parts.append(f'pyotp.TOTP(os.environ["{name}"]).now()' if kind else f'os.environ["{name}"]')
    return " + ".join(parts) or _text("")


def _text(value: object) -> str:
    """Return the expression for a text."""
    text = str(value)
    if not text.isprintable():
        return ascii(text)
    return f"'{text}'" if '"' in text and not set("'\\") & set(text) else json.dumps(text, ensure_ascii=False)


def _element(step: Step, argument: str = "selector") -> str:
    """Return the expression that finds an element of a step. Raises `_NoCounterpartError`."""
    element = step.elements.get(argument)
    found = _written(str(step.arguments.get(argument) or ""))
    if not found:
        if element is None:
            raise _NoCounterpartError("the element has no locator that Selenium knows.")
        found = _find(element)
    if element is None or not element.frame:
        return found
    paths = ", ".join(_text(urlsplit(url).path or url) for url in element.frame)
    return f"in_frame({paths}, find={found})"


def _written(selector: str) -> str:
    """Return the expression that finds the first match of a selector; "" if it is neither CSS nor XPath."""
    if re.match(r"xpath=|\(*//", selector):
        return f"by_xpath({_text(selector.removeprefix('xpath='))})"
    return _by_css(selector.removeprefix("css=")) if selector and not NOT_CSS.match(selector) else ""


def _by_css(selector: str) -> str:
    parts = [part.strip() for part in selector.split(">>>")]
    return f"by_css({_text(parts[0])})" if len(parts) == 1 else f"in_shadow({', '.join(map(_text, parts))})"


def _find(element: Element) -> str:
    usable = [each for each in element.locators if each.matches == 1 or each.kind in POSITIONAL]
    found = {each.kind: each for each in reversed(usable)}
    by_role = found.get("role")
    if by_role and not by_role.is_positional and element.name and element.role in ROLES:
        return f"by_role({_text(element.role)}, {_text(element.name)})"
    selectors = {kind: locator.selector for kind, locator in found.items()}
    is_by_text = "xpath" in found and found["xpath"].is_by_text
    # A text names an element better than its place among others, or a class.
    is_plain = ":nth-" in selectors.get("css", "") or not set("#[") & set(selectors.get("css", ""))
    others = ("xpath", "css") if is_by_text and is_plain else ("css", "xpath")
    for kind in ("selector", "id", *others):
        if code := _written(selectors.get(kind, "")):
            return code
    raise _NoCounterpartError("the element has no locator that Selenium knows.")


def _keys(key: str) -> str:
    names = [part for part in re.split(r"\+(?=.)", key) if part]
    return ", ".join(f"Keys.{_KEYS[name]}" if name in _KEYS else _text(name) for name in names)


def _click(step: Step, _plan: Plan) -> list[str]:
    given = step.arguments
    button = given.get("button", "left")
    if given.get("modifiers") or button == "middle":
        raise _NoCounterpartError("a click with this button or these keys is left out.")
    helper = "double_click" if given.get("doubleClick") else "right_click" if button == "right" else "click"
    return [f"{helper}(driver, {_element(step)})"]


def _type(step: Step, _plan: Plan) -> list[str]:
    given = step.arguments
    text = _typed(step, given.get("text", ""))
    element = step.elements.get("selector")
    if element is not None and element.tag == "input" and element.type in SET_TYPES:
        return [f"set_value(driver, {_element(step)}, {text})"]
    enter = ", Keys.ENTER" if given.get("submit") else ""
    if given.get("clear"):
        return [
            f"fill(driver, {_element(step)}, {text})",
            *([f"type_into(driver, {_element(step)}{enter})"] if enter else []),
        ]
    return [f"type_into(driver, {_element(step)}, {text}{enter})"]


def _fill_form(step: Step, _plan: Plan) -> list[str]:
    given = step.arguments.get("fields")
    lines: list[str] = []
    for index, each in enumerate(given if is_array(given) else []):
        name = f"fields.{index}.selector"
        element, value = step.elements.get(name), each.get("value") if is_object(each) else None
        find = _element(step, name)
        if isinstance(value, bool):
            lines.append(f"check(driver, {find}{'' if value else ', False'})")
        elif element is not None and element.tag == "select":
            lines.append(f"select(driver, {find}, {_text(value)})")
        elif element is not None and element.tag == "input" and _takes_value(element):
            lines.append(f"set_value(driver, {find}, {_text(value)})")
        else:
            lines.append(f"fill(driver, {find}, {_typed(step, value)})")
    return lines


def _takes_value(element: Element) -> bool:
    """Whether an input has a control for its value in place of a text field."""
    return element.role not in TEXT_ROLES or element.type in SET_TYPES


def _select(step: Step, _plan: Plan) -> list[str]:
    values = step.arguments.get("values")
    chosen = ", ".join(map(_text, values if is_array(values) else []))
    return [f"select(driver, {_element(step)}, {chosen})"]


def _press(step: Step, _plan: Plan) -> list[str]:
    times = _times(step)
    return [f"press(driver, {_keys(str(step.arguments['key']))}{f', times={times}' if times != 1 else ''})"]


def _dialog(step: Step, plan: Plan) -> list[str]:
    text = step.arguments.get("promptText")
    given = f", {_text(text)}" if text is not None else ""
    message = _message(step, plan)
    says = f", says={_text(message)}" if message else ""
    return [f"answer_dialog(driver, {step.arguments.get('accept')}{given}{says})"]


def _message(step: Step, plan: Plan) -> str:
    """Return the message of the dialog that a step answers; "" if it is not known, or not on one line."""
    place = next((index for index, each in enumerate(plan.steps) if each is step), 0)
    opened = next((each.caused.dialog for each in reversed(plan.steps[:place]) if each.caused.dialog), "")
    message = opened.partition(": ")[2]
    return "" if "\\" in message else message


def _tabs(step: Step, plan: Plan) -> list[str]:
    index, url = step.arguments.get("index"), step.arguments.get("url")
    match step.arguments.get("action"):
        case "new":
            if step.arguments.get("background"):
                raise _NoCounterpartError("a tab in the background is left out.")
            return ['driver.switch_to.new_window("tab")', *([f"driver.get({_url(step.url, plan)})"] if url else [])]
        case "select":
            return [f"wait(driver, lambda _: len(driver.window_handles) > {index})", _to_tab(index)]
        case "close":
            return [*([_to_tab(index)] if index is not None else []), "driver.close()", _to_tab(-1)]
        case _:
            return []


def _to_tab(index: object) -> str:
    return f"driver.switch_to.window(driver.window_handles[{index}])"


def _wait_for(step: Step, _plan: Plan) -> list[str]:
    given = step.arguments
    if given.get("response"):
        raise _NoCounterpartError("Selenium does not see responses.")
    lines = [f"see(driver, {_text(text)})" for text in _texts(given.get("text"))[:1]]
    lines += [f"not_see(driver, {_text(text)})" for text in _texts(given.get("textGone"))]
    if url := given.get("url"):
        lines.append(f"wait(driver, lambda _: {_text(url)} in driver.current_url)")
    if step.elements or given.get("selector"):
        helper = {"visible": "see_element", "hidden": "not_see_element"}.get(str(given.get("state", "visible")))
        if helper is None:
            raise _NoCounterpartError("a test waits until an element is visible or hidden only.")
        lines.append(f"{helper}(driver, {_element(step)})")
    return lines


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if is_array(value) else [value] if isinstance(value, str) else []


def _evaluate(step: Step, _plan: Plan) -> list[str]:
    if step.elements:
        raise _NoCounterpartError("a script with an element is left out.")
    function = str(step.arguments.get("function", ""))
    return [f"evaluate(driver, {_text(function)})"]


def _verify_state(step: Step, _plan: Plan) -> list[str]:
    given = step.arguments
    attribute = given.get("attribute")
    if given.get("checked") == "mixed":
        raise _NoCounterpartError("Selenium can't check this: mixed.")
    states = [(state, given[state]) for state in STATES if isinstance(given.get(state), bool)]
    lines = [_in_state(step, state, is_true=bool(value)) for state, value in states]
    if isinstance(given.get("visible"), bool):
        lines.append(f"{'see_element' if given['visible'] else 'not_see_element'}(driver, {_element(step)})")
    if "count" in given:
        lines.append(_count(step))
    if "title" in given:
        lines.append(f"has_title(driver, {_text(given['title'])})")
    if "url" in given:
        lines.append(f"wait(driver, lambda _: {_text(given['url'])} in driver.current_url)")
    if given.get("noConsoleErrors"):
        lines.append("no_console_errors(driver, errors)")
    if given.get("noFailedRequests"):
        lines.append("no_failed_requests(driver)")
    if "text" in given:
        lines.append(f"has_text(driver, {_element(step)}, {_text(given['text'])})")
    if "value" in given:
        lines.append(f"has_value(driver, {_element(step)}, {_text(given['value'])})")
    if is_object(attribute):
        value = f", {_text(attribute['value'])}" if attribute.get("value") is not None else ""
        lines.append(f"has_attribute(driver, {_element(step)}, {_text(attribute.get('name'))}{value})")
    return lines


def _count(step: Step) -> str:
    element = step.elements.get("selector")
    written = [each.selector for each in element.locators if each.kind == "selector"] if element is not None else []
    selector = str(step.arguments.get("selector") or next(iter(written), ""))
    if not selector or ">>>" in selector or NOT_CSS.match(selector):
        raise _NoCounterpartError("Selenium counts the matches of CSS selectors only.")
    return f"has_count(driver, {_text(selector)}, {step.arguments['count']})"


def _in_state(step: Step, state: str, *, is_true: bool) -> str:
    return f"is_in_state(driver, {_element(step)}, {_text(state)}{'' if is_true else ', False'})"


def _verify_value(step: Step, _plan: Plan) -> list[str]:
    value = step.arguments.get("value")
    if step.arguments.get("type") in ("checkbox", "radio", "switch"):
        return [_in_state(step, "checked", is_true=str(value).lower() == "true")]
    return [f"has_value(driver, {_element(step)}, {_typed(step, value)})"]


def _verify_element(step: Step, _plan: Plan) -> list[str]:
    role, name = str(step.arguments.get("role")), step.arguments.get("accessibleName")
    if role not in ROLES:
        raise _NoCounterpartError(f"the role {_plain(role)} has no CSS selector.")
    return [f"see_element(driver, by_role({_text(role)}, {_text(name)}, exact=False))"]


def _drag(step: Step, _plan: Plan) -> list[str]:
    if any(name in step.arguments for name in ("startX", "endX", "toX")):
        raise _NoCounterpartError("a drag to a point is left out.")
    return [f"drag(driver, {_element(step, 'startSelector')}, {_element(step, 'endSelector')})"]


def _upload(step: Step, _plan: Plan) -> list[str]:
    paths = _texts(step.arguments.get("paths"))
    return [f"{_element(step)}(driver).send_keys({_text(path)})" for path in paths]


def _hover(step: Step, _plan: Plan) -> list[str]:
    return [f"hover(driver, {_element(step)})"]


def _navigate(step: Step, plan: Plan) -> list[str]:
    return [f"driver.get({_url(str(step.arguments.get('url')), plan)})"]


def _history(step: Step, _plan: Plan) -> list[str]:
    method = step.tool.removeprefix("browser_").removeprefix("navigate_").replace("reload", "refresh")
    return [f"driver.{method}()"]


def _resize(step: Step, _plan: Plan) -> list[str]:
    return [f"driver.set_window_size({step.arguments['width']}, {step.arguments['height']})"]


def _verify_list(step: Step, _plan: Plan) -> list[str]:
    return [f"has_text(driver, {_element(step)}, {_text(item)})" for item in _texts(step.arguments.get("items"))]


def _verify_text(step: Step, _plan: Plan) -> list[str]:
    return [f"see(driver, {_text(step.arguments.get('text'))})"]


_WRITERS: dict[str, Callable[[Step, Plan], list[str]]] = {
    "browser_click": _click,
    "browser_drag": _drag,
    "browser_evaluate": _evaluate,
    "browser_file_upload": _upload,
    "browser_fill_form": _fill_form,
    "browser_handle_dialog": _dialog,
    "browser_hover": _hover,
    "browser_navigate": _navigate,
    "browser_navigate_back": _history,
    "browser_navigate_forward": _history,
    "browser_press_key": _press,
    "browser_reload": _history,
    "browser_resize": _resize,
    "browser_select_option": _select,
    "browser_tabs": _tabs,
    "browser_type": _type,
    "browser_verify_element_visible": _verify_element,
    "browser_verify_list_visible": _verify_list,
    "browser_verify_state": _verify_state,
    "browser_verify_text_visible": _verify_text,
    "browser_verify_value": _verify_value,
    "browser_wait_for": _wait_for,
}
"""Functions that write the statements for a step, by tool."""


def _indented(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"    {line}" if len(line) <= WIDTH - 4 else f"    {line}  # noqa: E501"
