"""Helper functions of generated tests. A test gets those that it calls, and those that they call."""

import re
from collections.abc import Iterable, Sequence

WIDTH = 120
"""Maximum length of a line of a generated test."""

_EXCEPTIONS = "selenium.common.exceptions"

MODULES = {
    "ActionChains": "selenium.webdriver",
    "By": "selenium.webdriver.common.by",
    "ElementClickInterceptedException": _EXCEPTIONS,
    "ElementNotInteractableException": _EXCEPTIONS,
    "Keys": "selenium.webdriver.common.keys",
    "NoSuchElementException": _EXCEPTIONS,
    "NoSuchFrameException": _EXCEPTIONS,
    "NoSuchShadowRootException": _EXCEPTIONS,
    "Select": "selenium.webdriver.support.ui",
    "StaleElementReferenceException": _EXCEPTIONS,
    "TimeoutException": _EXCEPTIONS,
    "WebDriverWait": "selenium.webdriver.support.ui",
    "alert_is_present": "selenium.webdriver.support.expected_conditions",
}
"""Modules of the names that are imported from Selenium."""

PLAIN_MODULES = ("os", "re")
"""Modules of the standard library that a test may import."""

ROLES = {
    "button": "button, summary, input:is([type=button], [type=submit], [type=reset], [type=image]), [role=button]",
    "cell": "td, [role=cell]",
    "checkbox": "input[type=checkbox], [role=checkbox]",
    "columnheader": "th, [role=columnheader]",
    "combobox": "select, input[list], [role=combobox]",
    "dialog": "dialog, [role=dialog]",
    "heading": "h1, h2, h3, h4, h5, h6, [role=heading]",
    "img": "img, svg, [role=img]",
    "link": "a[href], area[href], [role=link]",
    "listbox": "select, [role=listbox]",
    "menuitem": "[role=menuitem]",
    "menuitemcheckbox": "[role=menuitemcheckbox]",
    "menuitemradio": "[role=menuitemradio]",
    "option": "option, [role=option]",
    "radio": "input[type=radio], [role=radio]",
    "searchbox": "input[type=search], [role=searchbox]",
    "slider": "input[type=range], [role=slider]",
    "spinbutton": "input[type=number], [role=spinbutton]",
    "switch": "[role=switch], input[switch]",
    "tab": "[role=tab]",
    "textbox": "input, textarea, [contenteditable], [role=textbox]",
    "treeitem": "[role=treeitem]",
}
"""CSS selectors for the elements that can have a role (https://w3c.github.io/html-aam/)."""

_TEXTS = '''
def by_role(role, name, exact=True):
    """Find the visible element with this role and accessible name, or with a part of the name in any case."""

    def find(root):
        for element in root.find_elements(By.CSS_SELECTOR, ROLES[role]):
            found = name_of(element)
            is_match = found == name if exact else name.casefold() in found.casefold()
            if is_match and element.is_displayed():
                return element
        raise NoSuchElementException(f"There is no {role} {name!r}.")

    return find


def name_of(element):
    """Return the accessible name of an element without its icons, which are private-use characters of a font."""
    return " ".join(re.sub("[\\ue000-\\uf8ff]", " ", element.accessible_name or "").split())


def by_css(selector):
    """Find the first element that matches a CSS selector."""
    return lambda root: root.find_element(By.CSS_SELECTOR, selector)


def by_xpath(path):
    """Find the first element that matches an XPath."""
    return lambda root: root.find_element(By.XPATH, path)


def in_shadow(*selectors):
    """Find an element in shadow trees: each selector but the last names the host of the next tree."""

    def find(root):
        for selector in selectors[:-1]:
            root = root.find_element(By.CSS_SELECTOR, selector).shadow_root
        return root.find_element(By.CSS_SELECTOR, selectors[-1])

    return find


def in_frame(*paths, find):
    """Find an element in nested frames; each path is a part of the URL of one."""

    def find_in_frame(driver):
        driver.switch_to.default_content()
        for path in paths:
            switch_to_frame(driver, path)
        return find(driver)

    return find_in_frame


def switch_to_frame(driver, path):
    """Switch to the frame whose URL contains a path."""
    for frame in driver.find_elements(By.CSS_SELECTOR, "iframe, frame"):
        driver.switch_to.frame(frame)
        if path in driver.execute_script("return location.href"):
            return
        driver.switch_to.parent_frame()
    raise NoSuchFrameException(path)


def wait(driver, condition, message=""):
    """Wait until a condition is true, and return its value. Elements may come late and be replaced meanwhile."""
    late = (
        NoSuchElementException,
        NoSuchFrameException,
        NoSuchShadowRootException,
        StaleElementReferenceException,
        ElementClickInterceptedException,
        ElementNotInteractableException,
    )
    said = [message]

    def attempt(driver):
        try:
            return condition(driver)
        except late as error:
            said.append(error.msg)
            return None

    try:
        return WebDriverWait(driver, TIMEOUT).until(attempt)
    except TimeoutException:
        raise TimeoutException(message or said[-1]) from None


def on_element(driver, find, act):
    """Wait until an element is there and can be acted on, and act."""

    def attempt(driver):
        act(find(driver))
        return True

    wait(driver, attempt)


def click(driver, find):
    """Click an element."""
    on_element(driver, find, lambda element: element.click())


def double_click(driver, find):
    """Double-click an element."""
    on_element(driver, find, lambda element: ActionChains(driver).double_click(in_view(element)).perform())


def right_click(driver, find):
    """Click an element with the right button."""
    on_element(driver, find, lambda element: ActionChains(driver).context_click(in_view(element)).perform())


def hover(driver, find):
    """Move the pointer over an element."""
    on_element(driver, find, lambda element: ActionChains(driver).move_to_element(in_view(element)).perform())


def drag(driver, find, find_target):
    """Drag an element onto the place of another, in small moves as a person does. Pages ignore a single large one."""

    def move(element):
        target, _ = in_view(find_target(driver)), in_view(element)
        end, start = center_of(target), center_of(element)
        x, y = past(end[0] - start[0]), past(end[1] - start[1])
        chain = ActionChains(driver, duration=20).click_and_hold(element)
        for step in range(10):
            chain.move_by_offset(x * (step + 1) // 10 - x * step // 10, y * (step + 1) // 10 - y * step // 10)
        chain.pause(0.1).move_by_offset(0, -1).move_by_offset(0, 1).release().perform()

    on_element(driver, find, move)


def past(distance):
    """Return a distance with 3 pixels more: lists make room when the pointer has passed the middle of an item."""
    return distance + 3 * ((distance > 0) - (distance < 0))


def center_of(element):
    """Return the coordinates of the middle of an element."""
    rect = element.rect
    return round(rect["x"] + rect["width"] / 2), round(rect["y"] + rect["height"] / 2)


def in_view(element):
    """Scroll an element into view, and return it. One without a box, such as one of a page under way, is not ready."""
    if not any((element.size["width"], element.size["height"])):
        raise ElementNotInteractableException("The element has no box.")
    element.parent.execute_script("arguments[0].scrollIntoView({block: 'nearest', inline: 'nearest'})", element)
    return element


def type_into(driver, find, *keys):
    """Type into a field, after its content."""
    on_element(driver, find, lambda element: element.send_keys(*keys))


def fill(driver, find, text):
    """Replace the content of a field."""

    def replace(element):
        element.clear()
        element.send_keys(text)

    on_element(driver, find, replace)


def set_value(driver, find, value):
    """Set the value of a control that takes no text, such as a date or a slider, as a person would have."""
    script = """
        const [control, value] = arguments;
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(control, value);
        for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, {bubbles: true}));
    """

    def change(element):
        if not element.is_enabled() or element.get_property("readOnly"):
            raise ElementNotInteractableException("The control can't be changed.")
        driver.execute_script(script, in_view(element), value)

    on_element(driver, find, change)


def check(driver, find, checked=True):
    """Check a box, or uncheck it."""

    def make(element):
        if is_checked(element) != checked:
            element.click()

    on_element(driver, find, make)


def is_checked(element):
    """Whether a checkbox, a radio button or a switch is checked."""
    return element.is_selected() or element.get_attribute("aria-checked") == "true"


def select(driver, find, *options):
    """Select options of a list by their labels or values."""

    def choose(element):
        chosen = Select(element)
        for option in options:
            if option in [" ".join(each.text.split()) for each in chosen.options]:
                chosen.select_by_visible_text(option)
            else:
                chosen.select_by_value(option)

    on_element(driver, find, choose)


def press(driver, *keys, times=1):
    """Press a key on the focused element, together with those before it."""
    for _ in range(times):
        chain = ActionChains(driver)
        for key in keys[:-1]:
            chain.key_down(key)
        chain.send_keys(keys[-1])
        for key in reversed(keys[:-1]):
            chain.key_up(key)
        chain.perform()


def evaluate(driver, function):
    """Call a JavaScript function in the page."""
    script = """
        let call = (FUNCTION);
        try {
            call = window.eval(`(${call})`); // Firefox gives scripts a Math, a Date and so on that are not the page's
        } catch {} // the page forbids eval
        return call();
    """
    return driver.execute_script(script.replace("FUNCTION", function))


def answer_dialog(driver, accept, text=None, says=""):
    """Answer the dialog that is open. It must say what it said, apart from numbers."""
    WebDriverWait(driver, TIMEOUT).until(alert_is_present())
    dialog = driver.switch_to.alert
    said = dialog.text
    assert not says or re.sub(r"\\d+", "0", said) == re.sub(r"\\d+", "0", says), f"The dialog says {said!r}."
    if text is not None:
        dialog.send_keys(text)
    if accept:
        dialog.accept()
    else:
        dialog.dismiss()


def on_page(driver, url):
    """Wait until the page has a URL that matches a regular expression as a whole."""
    wait(driver, lambda _: re.fullmatch(url, driver.current_url), f"The URL is not {url}")


def see(driver, text):
    """Wait until the page shows a text, in any case."""
    wait(driver, lambda _: shows(driver, text), f"The page does not show {text!r}")


def not_see(driver, text):
    """Wait until the page does not show a text."""
    wait(driver, lambda _: not shows(driver, text), f"The page shows {text!r}")


def shows(driver, text):
    """Whether the page or one of its frames shows a text."""
    driver.switch_to.default_content()
    if contains(driver.find_element(By.TAG_NAME, "body"), text):
        return True
    for frame in driver.find_elements(By.CSS_SELECTOR, "iframe, frame"):
        driver.switch_to.default_content()
        driver.switch_to.frame(frame)
        if contains(driver.find_element(By.TAG_NAME, "body"), text):
            return True
    return False


def contains(element, text):
    """Whether an element shows a text, in any case and with any white space; "5" is not in "50" or "-5"."""
    before = r"(?<!\\d)(?<!\\d[.,])(?<!^-)(?<!\\s-)" if text[:1].isdigit() else ""
    after = r"(?!\\d)(?![.,]\\d)" if text[-1:].isdigit() else ""
    part = re.escape(" ".join(text.split()).casefold())
    return re.search(before + part + after, " ".join(element.text.split()).casefold()) is not None


def see_element(driver, find):
    """Wait until an element is visible."""
    wait(driver, lambda _: find(driver).is_displayed())


def not_see_element(driver, find):
    """Wait until an element is not visible, or is not there."""

    def is_gone(_):
        try:
            return not find(driver).is_displayed()
        except NoSuchElementException:
            return True

    wait(driver, is_gone)


def has_value(driver, find, value):
    """Wait until a control has a value."""
    wait(driver, lambda _: (find(driver).get_property("value") or "") == value, f"The value is not {value!r}")


def is_in_state(driver, find, state, expected=True):
    """Wait until an element is, or is not, in a state."""
    test = {
        "checked": is_checked,
        "editable": is_editable,
        "enabled": lambda element: element.is_enabled(),
        "expanded": lambda element: element.get_attribute("aria-expanded") == "true",
        "focused": lambda element: element == driver.switch_to.active_element,
        "selected": lambda element: element.is_selected() or element.get_attribute("aria-selected") == "true",
    }[state]
    wait(driver, lambda _: test(find(driver)) == expected, f"The element is {'not ' if expected else ''}{state}")


def is_editable(element):
    """Whether a person can change an element: it is enabled, and not for reading only."""
    is_read_only = element.get_property("readOnly") or element.get_attribute("aria-readonly") == "true"
    return element.is_enabled() and not is_read_only


def has_count(driver, selector, count):
    """Wait until a number of elements match a CSS selector."""
    wait(driver, lambda _: len(driver.find_elements(By.CSS_SELECTOR, selector)) == count, f"There are not {count}")


def has_attribute(driver, find, name, value=None):
    """Wait until an element has an attribute, with a value if one is given."""

    def has(_):
        found = find(driver).get_dom_attribute(name)
        return found is not None if value is None else found == value

    wait(driver, has, f"{name} is not {value!r}")


def has_text(driver, find, text):
    """Wait until an element shows a text."""
    wait(driver, lambda _: contains(find(driver), text), f"The element does not show {text!r}")


def has_title(driver, title):
    """Wait until the page's title contains a text."""
    wait(driver, lambda _: title in driver.title, f"The title is not {title!r}")


def no_console_errors(driver, errors):
    """Check that the console has no errors since the page was opened."""
    opened = driver.execute_script("return performance.timeOrigin")
    # Browsers round the time of a message, and the page before may have ended within the same millisecond.
    found = [error.text for error in errors if error.timestamp > opened + 1]
    assert not found, f"The console has errors: {found}"


def no_failed_requests(driver):
    """Check that no request of the page has failed, icons left aside. Other origins must let it see that (CORS)."""
    script = """
        const failed = ({name, responseStatus}) =>
            responseStatus >= 400 || (responseStatus === 0 && name.startsWith(`${location.origin}/`));
        return performance.getEntries().filter(failed).map(({name}) => name);
    """
    found = [url for url in driver.execute_script(script) if not url.endswith("/favicon.ico")]
    assert not found, f"Requests have failed: {found}"
'''

HELPERS: dict[str, str] = {text.partition("(")[0].removeprefix("def "): text for text in _TEXTS.strip().split("\n\n\n")}
"""The functions, by name."""


def names_in(code: str) -> set[str]:
    """Return the words of a code that are not in quotes or docstrings."""
    plain = re.sub(r'"""(?:.|\n)*?"""', "", code)
    strings = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
    return set(re.findall(r"\b[A-Za-z_]\w*", re.sub(strings, "", plain)))


def needed_by(code: str) -> list[str]:
    """Return the names of the helpers that a code calls, and that those call, in the order of `HELPERS`."""
    found: set[str] = set()
    new = names_in(code) & HELPERS.keys()
    while new:
        found |= new
        new = {name for each in new for name in names_in(HELPERS[each]) & HELPERS.keys()} - found
    return [name for name in HELPERS if name in found]


def imports_for(code: str) -> str:
    """Return the import statements that a code needs."""
    names = names_in(code)
    plain = [f"import {module}" for module in PLAIN_MODULES if module in names]
    wanted = sorted(names & MODULES.keys())
    modules = sorted({MODULES[name] for name in wanted})
    selenium = [_from(module, [name for name in wanted if MODULES[name] == module]) for module in modules]
    others = ["import pyotp"] if "pyotp" in names else []
    return "\n\n".join("\n".join(block) for block in (plain, [*others, *selenium]) if block)


def _from(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def roles_for(roles: Iterable[str]) -> str:
    """Return the definition of the constant ROLES for some roles."""
    entries = "".join(f'    "{role}": "{ROLES[role]}",\n' for role in sorted(set(roles)))
    return f"ROLES = {{\n{entries}}}\n"
