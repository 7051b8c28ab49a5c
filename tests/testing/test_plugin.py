"""The pytest plugin: the page of a test, the report of a failed one, and what pytest is told of a wrong option."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bidi_server.testing.plugin import OPTIONS
from docs.generate import README, ROOT
from tests.plan.shop_changes import PAGE
from tests.plan.test_export import served

pytest_plugins = ("pytester",)

HOME = os.environ.get("HOME", "")

# The plugin of this tree, whether or not the package is installed, and then of which version.
PLUGIN = ("-p", "bidi_server.testing.plugin", "-p", "no:bidi-server", "-p", "no:cacheprovider")

HTML = """<link rel=icon href=data:,><title>Start</title>
<button onclick="this.textContent = 'Saved'; console.error('oops')">Save</button>
<button onclick="this.textContent = prompt('Who?')">Ask</button><button id=key onkeydown="this.textContent = event.key">
Key</button><label>Name <input id=name></label><label>Size <select id=size><option>Small<option>Large</select></label>
<label><input id=terms type=checkbox> Terms</label><p onmouseover="this.textContent = 'Hovered'">Paragraph</p>
<input type=file aria-label=File onchange="document.title = this.files[0].name"><a href=/ target=_blank>Open</a>
<a href="data:application/octet-stream,x" download=x.bin>Download</a><ul id=list><li>Apples<li>Pears</ul>
<a href="#there">Jump</a>"""


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with tests, for a pytest that finds the browsers of this user."""
    monkeypatch.setenv("HOME", HOME)
    return pytester


def run(inner: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return inner.runpytest_subprocess(*PLUGIN, "-W", "error", *arguments)


def test_the_example_of_the_readme(inner: pytest.Pytester, browser_name: str) -> None:
    example = re.search(r"### In pytest\n.*?```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert example is not None
    inner.makepyfile(example[1])
    with served(PAGE) as url:
        run(inner, "--agent-browser", browser_name, "--agent-base-url", url).assert_outcomes(passed=1)


def test_actions_return_their_effects(inner: pytest.Pytester, browser_name: str) -> None:
    inner.makepyfile("""
        import pytest
        from bidi_server.testing.page import Page, PageError

        def test_actions(agent_browser: Page, tmp_path):
            page = agent_browser
            opened = page.open("/")
            assert opened.navigated == (page.url,)
            assert 'button "Save" [ref=' in opened.diff
            saved = page.click("getByRole('button', { name: 'Save' })")
            assert saved.console_errors == ("oops",)
            assert saved.text.startswith('Clicked button "Save"')
            assert '~   - button "Saved"' in saved.diff
            ref = page.find(role="button", name="ask")
            asked = page.click(ref)
            assert (asked.dialog.kind, asked.dialog.message) == ("prompt", "Who?")
            with pytest.raises(PageError, match=r"is open and blocks the page. Call page.accept_dialog\\(\\) or "):
                page.click(ref)
            assert 'button "Ada"' in page.accept_dialog("Ada").diff
            page.click(ref)
            assert page.dismiss_dialog().dialog is None
            assert 'textbox "Name"' in page.type("#name", "Ada").diff
            page.type("#name", "Bob", clear=True)
            page.verify_value("#name", "Bob")
            page.fill({"#name": "Eve", "#terms": True})
            page.verify_value("#terms", True)
            page.select("#size", "Large")
            page.verify_state("#size", value="Large")
            page.evaluate("(element) => element.focus()", "#key")
            assert 'button "F2"' in page.press("F2").diff
            assert "Hovered" in page.hover("p").diff
            (tmp_path / "a.txt").write_text("a")
            page.upload(tmp_path / "a.txt")
            assert page.title == "a.txt"
            [download] = page.click("text=Download").downloads
            assert download.name == "x.bin"
            assert page.click("text=Jump").navigated == (page.url,)
            tabs = page.click("text=Open").new_tabs
            assert len(tabs) == 1
            page.select_tab(1)
            page.verify_text("Save")

        def test_reading(agent_browser: Page, tmp_path):
            page = agent_browser
            page.open("/")
            page.click("text=Save")
            assert [(each.level, each.text) for each in page.console] == [("error", "oops")]
            assert [(each.method, each.url, each.status) for each in page.requests] == [("GET", page.url, 200)]
            assert page.evaluate("() => ({ a: [1, 'b', null] })") == {"a": [1, "b", None]}
            assert page.snapshot("#list").splitlines()[1:] == ["  - listitem: Apples", "  - listitem: Pears"]
            with pytest.raises(PageError, match="None of these has a ref"):
                page.find(text="Pears")
            with pytest.raises(PageError, match="No line of the snapshot has role slider"):
                page.find(role="slider")
            assert page.screenshot(tmp_path / "p.jpg").read_bytes()[:2] == bytes([255, 216])
            assert page.screenshot(target="#list").exists()
            page.reload()
            assert page.console == []
            page.verify_list("#list", ["pears", "apples"])
            page.verify_element("button", "save")
            page.expect_no_errors()
            page.evaluate("() => { document.cookie = 'a=b'; localStorage.a = 'b'; }")

        def test_a_session_of_its_own(agent_browser: Page):
            agent_browser.open("/")
            assert agent_browser.evaluate("document.cookie + (localStorage.a ?? '')") == ""
    """)
    with served(HTML) as url:
        result = run(inner, "--agent-browser", browser_name, "--agent-base-url", url, "-n", "2")
    result.assert_outcomes(passed=3)


def test_the_report_of_a_failure(inner: pytest.Pytester, browser_name: str) -> None:
    inner.makepyfile("""
        def test_verify(agent_browser):
            agent_browser.open("/")
            agent_browser.click("text=Save")
            agent_browser.verify_text("Sold out", timeout=0)

        def test_action(agent_browser):
            agent_browser.open("/")
            agent_browser.click("#missing")

        def test_dialog(agent_browser):
            agent_browser.open("/")
            agent_browser.click("text=Ask")
            agent_browser.expect_no_errors()

        def test_unused(agent_browser):
            assert False
    """)
    inner.makeini("[pytest]\nagent_output = out\n")
    with served(HTML) as url:
        result = run(inner, "--agent-browser", browser_name, "--agent-base-url", url)
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines_random(
        [
            'E       AssertionError: Not true after 0 s: the text "Sold out" is visible. It is not there.*',
            ">       agent_browser.verify_text(*",
            "E       bidi_server.testing.page.PageError: No element matches the selector '#missing'.*",
            'E       AssertionError: A prompt dialog "Who[?]" is open and blocks the page.*',
            f"URL: {url}/",
            '  - button "Saved" [[]active[]] [[]ref=*',
            "[[]error[]] oops @ *",
            "The test has opened no page.",
        ]
    )
    pictures = re.findall(r"^Screenshot of the viewport: (.*)$", result.stdout.str(), re.MULTILINE)
    assert [Path(each).relative_to(inner.path).parts[0] for each in pictures] == ["out", "out"]
    assert all(Path(each).exists() for each in pictures)
    # A traceback ends at the line of the test.
    assert "bidi_server/testing" not in result.stdout.str()
    assert "trio" not in result.stdout.str().partition("FAILURES")[2]


def test_screenshots_are_compared_with_baselines(inner: pytest.Pytester, browser_name: str) -> None:
    inner.makepyfile("""
        def test_picture(agent_browser):
            agent_browser.open("/")
            agent_browser.verify_screenshot("start", "ul")
    """)
    options = ("--agent-browser", browser_name, "--agent-baselines", "pictures", "--agent-base-url")
    for _ in range(2):
        with served(HTML) as url:
            run(inner, *options, url).assert_outcomes(passed=1)
    [baseline] = (inner.path / "pictures").iterdir()
    assert baseline.name.startswith(f"start-{browser_name}-1280x720")
    with served(HTML.replace("Pears", "Plums")) as url:
        result = run(inner, *options, url)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E       AssertionError: * of the list <ul> differ from the baseline: *"])


def test_tests_run_once_in_each_browser(inner: pytest.Pytester) -> None:
    inner.makepyfile("""
        def test_one(agent_browser): pass
        def test_two(): pass
    """)
    collected = run(inner, "--collect-only", "-q", "--agent-browser", "chromium, firefox").stdout
    collected.fnmatch_lines(["*::test_one[[]chromium]", "*::test_one[[]firefox]", "*::test_two"])
    inner.makeini("[pytest]\nagent_browser = firefox\n")
    run(inner, "--collect-only", "-q").stdout.fnmatch_lines(["*::test_one", "*::test_two"])
    wrong = run(inner, "--agent-browser", "opera")
    wrong.stderr.fnmatch_lines(["ERROR: --agent-browser: it must be chromium, firefox or webkit, not 'opera'."])


def test_a_missing_browser(inner: pytest.Pytester, bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to run. With a program in place of the browser nothing is downloaded."""
    monkeypatch.setenv("BIDI_SERVER_EXECUTABLE", sys.executable)
    inner.makepyfile("def test_one(agent_browser): pass")
    result = inner.runpytest_inprocess(*PLUGIN, "--agent-browser", "chromium")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["bidi-server install chromium *"])
    assert "bidi_server/testing" not in result.stdout.str()


def test_pytest_is_only_for_those_who_test() -> None:
    """The product imports no pytest, and the plugin imports nothing of the product before a test needs it."""
    for script, absent in (
        ("import bidi_server.server, bidi_server.calls, bidi_server.tools.base, bidi_server.cli", "pytest"),
        ("import bidi_server.testing.plugin", "trio"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; {script}; print({absent!r} in sys.modules)"],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        assert done.stdout == "False\n", script


def test_the_readme_names_the_options() -> None:
    text = README.read_text("utf-8")
    assert [name for name in OPTIONS if f"--{name}" not in text] == []
