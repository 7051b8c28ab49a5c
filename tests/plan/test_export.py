"""From a session to a test: export, replay and healing, with the shop of the demo."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from drivers.find import first_browser, first_pair
from tests.drivers.geckodriver import geckodriver_in
from tests.plan.serving import served
from tests.plan.shop_changes import BROKEN, HARMLESS, PAGE, changed
from tests.support.world import Agent, Answer

MakeAgent = Callable[..., Agent]


def buy(agent: Agent, url: str) -> None:
    """Buy a notebook as an agent does, by refs."""

    def call(tool: str, **arguments: object) -> Answer:
        answer = agent(tool, **arguments)
        assert not answer.is_error, answer.text
        return answer

    page = call("browser_navigate", url=f"{url}/")
    call("browser_type", ref=page.ref("searchbox", "Search products"), text="paper")
    call("browser_wait_for", text="3 of 8 match")
    call("browser_click", ref=page.ref("button", "Add to cart: Dot notebook"))
    fields = [
        {"ref": page.ref("textbox", "Name"), "value": "Ada"},
        {"ref": page.ref("textbox", "Email"), "value": "ada@example.com"},
        {"ref": page.ref("combobox", "Delivery"), "value": "Express, €7.90"},
        {"ref": page.ref("textbox", "Deliver on"), "value": "2099-12-24"},
        {"ref": page.ref("checkbox", "Gift wrap, €2.00"), "value": True},
    ]
    call("browser_fill_form", fields=fields)
    call("browser_click", ref=page.ref("button", "Place order"))
    call("browser_handle_dialog", accept=True)
    call("browser_verify_text_visible", text="Thank you, Ada")


@pytest.fixture(scope="module")
def plan(world: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan of a purchase."""
    from tests.support.world import World

    assert isinstance(world, World)
    folder = tmp_path_factory.mktemp("plans")
    agent = world.agent(caps=("testing",), output_dir=folder)
    try:
        with served(PAGE) as url:
            buy(agent, url)
            answer = agent("browser_export_test", format="plan", path="shop.json", name="buy a notebook")
            assert not answer.is_error, answer.text
    finally:
        agent.close()
    return folder / "shop.json"


def replayed(make_agent: MakeAgent, plan: Path, page: str, **arguments: object) -> Answer:
    agent = make_agent(caps=("testing",), action_timeout=3)
    with served(page) as url:
        return agent("browser_replay", path=str(plan), baseUrl=url, **arguments)


def test_the_same_page_passes(make_agent: MakeAgent, plan: Path) -> None:
    answer = replayed(make_agent, plan, PAGE)
    assert answer.text.endswith("All 8 steps passed."), answer.text


@pytest.mark.parametrize("change", HARMLESS)
def test_harmless_changes_pass(change: str, make_agent: MakeAgent, plan: Path) -> None:
    answer = replayed(make_agent, plan, changed(HARMLESS[change]))
    assert "All 8 steps passed" in answer, answer.text


@pytest.mark.parametrize("change", BROKEN)
def test_broken_pages_fail(change: str, make_agent: MakeAgent, plan: Path) -> None:
    answer = replayed(make_agent, plan, changed(BROKEN[change]))
    assert answer.is_error, answer.text
    assert re.search(r"Step \d failed", answer.text), answer.text


def test_a_new_name_is_healed_and_written_back(make_agent: MakeAgent, tmp_path: Path) -> None:
    """By its id, with the locators of the new name afterwards."""
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    with served("<button id=save onclick=\"this.after('Saved')\">Save</button>") as url:
        page = agent("browser_navigate", url=url)
        agent("browser_click", ref=page.ref("button", "Save"))
        agent("browser_verify_text_visible", text="Saved")
        assert not agent("browser_export_test", format="plan", path="plan.json").is_error
    plan = tmp_path / "plan.json"
    with served("<p><b><button id=save onclick=\"this.after('Saved')\">Store</button></b></p>") as url:
        healed = agent("browser_replay", path=str(plan), baseUrl=url, update=True)
        assert "was found by #save, not by getByRole('button', { name: 'Save', exact: true })" in healed, healed.text
        assert 'it is button "Store" now' in healed
        assert healed.text.endswith(f"Wrote the locators that match now to {plan}: step 2."), healed.text
        again = agent("browser_replay", path=str(plan), baseUrl=url, update=True)
        assert "All 3 steps passed.\nNo locators to update" in again, again.text
    with served("<button id=save>Store</button><p id=x>Nothing</p>") as url:
        failed = agent("browser_replay", path=str(plan), baseUrl=url, update=True)
        assert "Step 3 failed" in failed
        assert "The plan was not updated" in failed


@pytest.mark.parametrize(
    ("recorded", "now"),
    [
        ("<ul><li><div>Fig</div><li><div>Kiwi</div></ul>", "<ul><li><p>Plum</p><li><p>Fig</p><li><p>Kiwi</p></ul>"),
        ("<p><span>Fig</span><span>Kiwi</span></p>", "<p><b>Fig</b><b>Kiwi</b></p>"),
        ("<button>Kiwi</button>", "<button>Wait</button>"),
    ],
    ids=["more items", "another tag", "later"],
)
def test_an_element_is_known_by_its_text(recorded: str, now: str, make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    takes_clicks = """<output></output><script>
    for (const each of document.querySelectorAll('li, button, span, b'))
      each.onclick = () => document.querySelector('output').append(each.innerText)
    </script>"""
    later = """<script>
    setTimeout(() => { document.querySelector('button').textContent = 'Kiwi'; }, 500)
    </script>"""
    with served(recorded + takes_clicks) as url:
        page = agent("browser_navigate", url=url)
        row = re.search(r'- \w+ "Kiwi" \[ref=(\w+)\]', page.text)
        assert row, page.text
        agent("browser_click", ref=row[1])
        checked = agent("browser_verify_state", selector="output", text="Kiwi")
        assert not checked.is_error, checked.text
        assert not agent("browser_export_test", format="plan", path="plan.json").is_error
    with served(now + takes_clicks + (later if "Wait" in now else "")) as url:
        again = agent("browser_replay", path=str(tmp_path / "plan.json"), baseUrl=url)
    assert "All 3 steps passed" in again, again.text


def test_a_replay_is_not_recorded_again(make_agent: MakeAgent, tmp_path: Path) -> None:
    """An export has the steps before and after it, and says where it was."""
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    with served("<button onclick=\"this.after('Saved')\">Save</button><button>Next</button>") as url:
        agent("browser_navigate", url=url)
        agent("browser_click", selector="button")
        agent("browser_verify_text_visible", text="Saved")
        agent("browser_export_test", format="plan", path="save.json")
        for call in ({"tool": "browser_replay", "arguments": {"path": str(tmp_path / "save.json")}},) * 2:
            assert "All 3 steps passed" in agent("browser_run", steps=[call])
        agent("browser_click", selector="text=Next")
        listed = agent("browser_export_test").text.splitlines()
        exported = agent("browser_export_test", format="plan", path="more.json", fromStep=4)
    assert [line.split()[1] for line in listed[:4]] == [
        *("browser_navigate", "browser_click", "browser_verify_text_visible", "browser_click")
    ]
    said = "The steps of save.json, which browser_replay ran after step 3, are not included."
    assert listed[4:] == [said, said]
    assert "Wrote 1 step to" in exported
    assert said in exported


def test_passwords_come_from_the_environment(
    make_agent: MakeAgent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    body = '<label>Your password <input type=password oninput="this.form ?? (len.value = this.value.length)"></label>'
    with served(f"{body}<label>Length <input id=len></label>") as url:
        page = agent("browser_navigate", url=url)
        agent("browser_type", ref=page.ref("textbox", "Your password"), text="hunter2-hunter2")
        agent("browser_verify_value", ref=page.ref("textbox", "Length"), type="textbox", value="15")
        agent("browser_export_test", format="plan", path="plan.json")
        answer = agent("browser_export_test", path="test", name="sign in")
        assert "YOUR_PASSWORD" in answer
        texts = [file.read_text("utf-8") for file in tmp_path.rglob("*") if file.suffix in (".py", ".json", ".ini")]
        assert len(texts) == 4
        assert not any("hunter2" in text for text in texts)
        assert any('os.environ["YOUR_PASSWORD"]' in text for text in texts)
        missing = agent("browser_replay", path=str(tmp_path / "plan.json"))
        assert "The plan needs values for YOUR_PASSWORD." in missing
        agent("browser_type", ref=page.ref("textbox", "Length"), text="{{PATH}}", clear=True)
        assert agent.evaluate("() => document.getElementById('len').value") == "{{PATH}}"
        agent("browser_export_test", format="plan", path="typed.json", fromStep=4)
        assert not agent("browser_replay", path=str(tmp_path / "typed.json")).is_error
        assert agent.evaluate("() => document.getElementById('len').value") == "{{PATH}}"
        monkeypatch.setenv("YOUR_PASSWORD", "another-secret!")
        assert "All 3 steps passed" in agent("browser_replay", path=str(tmp_path / "plan.json"))


def test_a_session_without_checks_is_told_so(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    assert "It has no steps yet." in agent("browser_export_test")
    agent.show("<button>Go</button>")
    assert agent("browser_export_test").text.startswith("1. browser_navigate url: ")
    assert "browser_verify" in agent("browser_export_test", path="test")
    assert "The session has the steps 1 to 1." in agent("browser_export_test", fromStep=7)


def test_files_that_are_no_plans(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    file = tmp_path / "plan.json"
    assert "can't be read" in agent("browser_replay", path=str(file))
    for text, why in {
        "{": "it is not JSON",
        "[]": "not a plan",
        '{"name": "x", "steps": [{"tool": 7}]}': "steps.0.tool",
        '{"name": "x", "version": 2, "steps": []}': "version",
    }.items():
        file.write_text(text)
        assert why in agent("browser_replay", path=str(file))
    file.write_text('{"name": "x", "steps": [{"tool": "browser_clik"}]}')
    assert "Did you mean browser_click?" in agent("browser_replay", path=str(file))


def test_an_exported_test_runs_with_selenium_alone(browser_name: str, make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    with served(PAGE) as url:
        buy(agent, url)
        assert not agent("browser_export_test", path="shop", name="buy a notebook").is_error
    test = tmp_path / "shop" / "test_buy_a_notebook.py"
    assert 'click(driver, by_role("button", "Place order, €25.90"))' in test.read_text("utf-8")
    passed = changed(HARMLESS["id of a button"])
    assert ran(browser_name, test, passed) == 0
    assert ran(browser_name, test, changed(BROKEN["another text"])) == 1


def ran(browser: str, test: Path, page: str) -> int:
    """Run a generated test for a page, and return the exit code of pytest. Nothing of the product is imported."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    if browser == "firefox":
        environment |= {"SE_GECKODRIVER": str(geckodriver_in(test.parent))}
        installed = first_browser("firefox").path
    else:
        chromium, driver = first_pair()
        environment |= {"SE_CHROMEDRIVER": driver.path}
        installed = chromium.path
    with served(page) as url:
        done = subprocess.run(
            [
                *(sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(test)),
                *(f"--browser={browser}", f"--binary={installed}", f"--base-url={url}"),
            ],
            cwd=test.parent,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        )
    print(done.stdout.decode(errors="replace"))
    return done.returncode


def test_checks_and_scripts_are_those_of_the_session(browser_name: str, make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    body = """<script>Math.dice = () => 6; let sides = 0</script><ol><li>Fig</li><li>Kiwi</li></ol>
    <label>Amount <input id=amount value=3></label>
    <button onclick="document.querySelector('li').before(document.querySelector('li + li')), this.after(`${sides}`)">
    Turn</button>"""
    with served(body) as url:
        page = agent("browser_navigate", url=url)
        agent("browser_evaluate", function="() => { sides = Math.dice(); }")
        agent("browser_click", ref=page.ref("button", "Turn"))
        agent("browser_verify_text_visible", text="6")
        for arguments in (
            {"selector": "li:nth-child(1)", "text": "Kiwi"},
            {"selector": "getByRole('textbox', { name: 'Amount' })", "enabled": True},
            {"ref": page.ref("textbox", "Amount"), "value": "3"},
        ):
            assert not agent("browser_verify_state", **arguments).is_error
        answer = agent("browser_export_test", path="turn", name="turn")
        agent("browser_export_test", format="plan", path="turn.json")
        again = agent("browser_replay", path=str(tmp_path / "turn.json"))
    assert "Left out" not in answer, answer.text
    assert again.text.endswith("All 7 steps passed."), again.text
    test = tmp_path / "turn" / "test_turn.py"
    code = test.read_text("utf-8")
    assert 'has_text(driver, by_css("li:nth-child(1)"), "Kiwi")' in code
    assert 'has_value(driver, by_role("textbox", "Amount"), "3")' in code
    assert ran(browser_name, test, body) == 0
    assert ran(browser_name, test, body.replace(".before(", ".after(")) == 1


def test_exported_tests_look_at_the_console_and_at_requests(
    browser_name: str, make_agent: MakeAgent, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    body = """<label>Name <input value=Ada></label><button onclick="show()">Open</button><output></output>
    <script>function show() { document.querySelector('output').textContent = 'Opened'; }</script>"""
    with served(body) as url:
        page = agent("browser_navigate", url=url)
        agent("browser_click", ref=page.ref("button", "Open"))
        agent("browser_verify_text_visible", text="Opened")
        for arguments in (
            {"ref": page.ref("textbox", "Name"), "editable": True},
            {"noConsoleErrors": True, "noFailedRequests": True},
        ):
            answer = agent("browser_verify_state", **arguments)
            assert not answer.is_error, answer.text
        answer = agent("browser_export_test", path="open", name="open")
    assert "Left out" not in answer, answer.text
    test = tmp_path / "open" / "test_open.py"
    assert "no_console_errors(driver, errors)" in test.read_text("utf-8")
    # Errors of the page before are not the page's.
    left = """<script>if (name) document.querySelector('main').hidden = false
    else { name = 'left'; console.error('Left'); location.reload(); }</script>"""
    assert ran(browser_name, test, f"<main hidden>{body}</main>{left}") == 0
    for old, new, said in (
        ("<input", "<input readonly", "The element is not editable"),
        (
            "function show() {",
            "function show() { console.error('Said'); setTimeout(() => fail());",
            "errors: ['Said', '",
        ),
        ("<output>", "<output><img src='missing.png'>", "/missing.png']"),
    ):
        assert ran(browser_name, test, body.replace(old, new)) == 1
        assert said in capsys.readouterr().out


def test_a_site_without_an_icon_is_no_difference(browser_name: str, make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    with served("<p>Hello</p>") as url:
        agent("browser_navigate", url=url)
        agent("browser_evaluate", function="async () => { await fetch('/favicon.ico'); }")
        agent("browser_verify_text_visible", text="Hello")
        agent("browser_export_test", format="plan", path="plan.json")
        assert "favicon" not in (tmp_path / "plan.json").read_text("utf-8").replace("fetch('/favicon.ico')", "")
        assert agent("browser_replay", path=str(tmp_path / "plan.json")).text.endswith("All 3 steps passed.")


def test_exported_tests_use_the_pointer_like_a_person(browser_name: str, make_agent: MakeAgent, tmp_path: Path) -> None:
    """Elements are below the fold, a drag needs moves on its way, and a name has an icon of a font."""
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    body = """<style>label::before{content: '\\f02b '} div{height: 60px; background: tan; margin: 9px}</style>
    <p style="height:2000px">Top</p>
    <button onclick="out.append('one ')" ondblclick="out.append('two ')">Open</button>
    <label>Name <input></label>
    <div role=button aria-label=Card onmousedown="moves = 0" onmousemove="moves += event.buttons"></div>
    <div role=button aria-label=Box onmousemove="moves += event.buttons"
      onmouseup="if (moves > 8) out.append('Dropped')"></div><output id=out></output>
    <script>let moves = 0</script>"""
    with served(body) as url:
        page = agent("browser_navigate", url=url)
        calls: list[tuple[str, dict[str, object]]] = [
            ("browser_drag", {"startRef": page.ref("button", "Card"), "endRef": page.ref("button", "Box")}),
            ("browser_verify_text_visible", {"text": "Dropped"}),
            ("browser_click", {"ref": page.ref("button", "Open"), "doubleClick": True}),
            ("browser_verify_text_visible", {"text": "two"}),
            ("browser_type", {"ref": page.ref("textbox", "Name"), "text": "Ada"}),
            ("browser_verify_value", {"ref": page.ref("textbox", "Name"), "type": "textbox", "value": "Ada"}),
        ]
        for tool, arguments in calls:
            answer = agent(tool, **arguments)
            assert not answer.is_error, answer.text
        assert "Left out" not in agent("browser_export_test", path="card", name="card")
    test = tmp_path / "card" / "test_card.py"
    assert 'by_role("textbox", "Name")' in test.read_text("utf-8")
    assert ran(browser_name, test, body) == 0


def test_exported_tests_wait_for_elements_without_a_box(
    browser_name: str, make_agent: MakeAgent, tmp_path: Path
) -> None:
    """Node-RED's palette and workspace are there before they are laid out."""
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    body = """<style>div{height: 60px; background: tan; margin: 9px}</style>
    <div id=card onmousedown="moves = 0" onmousemove="moves += event.buttons"></div>
    <div id=box onmousemove="moves += event.buttons" onmouseup="if (moves > 8) this.after('Dropped')"></div>
    <script>let moves = 0</script>"""
    with served(body) as url:
        agent("browser_navigate", url=url)
        assert not agent("browser_drag", startSelector="#card", endSelector="#box").is_error
        agent("browser_verify_text_visible", text="Dropped")
        agent("browser_export_test", path="card", name="card")
    late = "document.body.hidden = true; setTimeout(() => { document.body.hidden = false; }, 1500);"
    assert ran(browser_name, tmp_path / "card" / "test_card.py", body.replace("<script>", f"<script>{late}")) == 0


def test_both_ends_of_a_drag_are_found_again(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    body = """<div role=button aria-label=Card draggable=true style="width:60px;height:40px"></div>
    <div role=button aria-label=Box style="width:200px;height:99px" ondragover="event.preventDefault()"
      ondrop="this.after('Dropped')"></div>"""
    with served(body) as url:
        page = agent("browser_navigate", url=url)
        ends = {"startRef": page.ref("button", "Card"), "endRef": page.ref("button", "Box")}
        assert not agent("browser_drag", **ends).is_error
        agent("browser_verify_text_visible", text="Dropped")
        agent("browser_export_test", format="plan", path="plan.json")
    assert not any(ref in (tmp_path / "plan.json").read_text("utf-8") for ref in ends.values())
    with served(f"<main>{body}</main>") as url:
        answer = agent("browser_replay", path=str(tmp_path / "plan.json"), baseUrl=url)
    assert answer.text.endswith("All 3 steps passed."), answer.text


def test_one_of_several_equal_buttons_is_found_again(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    body = "".join(
        f"<p>{fruit} <button onclick=\"this.after('{fruit}!')\">Take</button></p>" for fruit in ("Fig", "Kiwi", "Lime")
    )
    with served(body) as url:
        page = agent("browser_navigate", url=url)
        refs = re.findall(r'button "Take" \[ref=(\w+)\]', page.text)
        agent("browser_click", ref=refs[1])
        agent("browser_verify_text_visible", text="Kiwi!")
        agent("browser_export_test", format="plan", path="plan.json")
    with served(f"<main>{body.replace('<p>', '<div><div>').replace('</p>', '</div></div>')}</main>") as url:
        answer = agent("browser_replay", path=str(tmp_path / "plan.json"), baseUrl=url)
    assert "All 3 steps passed, 1 with healed locators." in answer, answer.text


def test_elements_in_frames_and_shadow_trees_are_found_again(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    button = "<button onclick='this.textContent = `{text}`'>{name}</button>"
    body = f"""<iframe srcdoc="{button.format(name="Go", text="Framed")}"></iframe><div id=host></div>
    <script>host.attachShadow({{mode: 'open'}}).innerHTML = "{button.format(name="Run", text="Shaded")}"</script>"""
    with served(body) as url:
        page = agent("browser_navigate", url=url)
        for name, text in (("Go", "Framed"), ("Run", "Shaded")):
            agent("browser_click", ref=page.ref("button", name))
            assert not agent("browser_verify_text_visible", text=text).is_error
        agent("browser_export_test", format="plan", path="plan.json")
        answer = agent("browser_replay", path=str(tmp_path / "plan.json"))
    assert answer.text.endswith("All 5 steps passed."), answer.text


def test_the_command_reports_to_ci(browser_name: str, plan: Path, tmp_path: Path) -> None:
    junit, report = tmp_path / "results.xml", tmp_path / "report.html"
    options = ["--browser", browser_name, "--junit", str(junit), "--report", str(report)]
    with served(PAGE) as url:
        assert replay_by_command(plan, *options, "--repeat", "2", "--base-url", url) == 0
    suites = ElementTree.parse(junit).findall("testsuite")
    assert [(suite.get("tests"), suite.get("failures")) for suite in suites] == [("8", "0")] * 2
    with served(changed(BROKEN["another text"])) as url:
        assert replay_by_command(plan, *options, "--base-url", url, "--action-timeout", "1") == 1
    (failure,) = ElementTree.parse(junit).findall("testsuite/testcase/failure")
    assert "Thank you, Ada" in str(failure.text)
    assert report.read_text("utf-8").count("data:image/png;base64,") == 1
    assert replay_by_command(tmp_path / "none.json") == 2
    assert replay_by_command(junit) == 2


def replay_by_command(plan: Path, *options: str) -> int:
    command = [sys.executable, "-m", "bidi_server", "replay", str(plan), *options]
    return subprocess.run(command, check=False, timeout=120).returncode


def test_baselines_are_updated_when_asked_for(browser_name: str, make_agent: MakeAgent, tmp_path: Path) -> None:
    """By the command's option and the tool's parameter, not by a recorded one."""
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    page, other = (f"<h1 style='background: {color}; height: 200px'>Tea</h1>" for color in ("red", "blue"))
    with served(page) as url:
        agent("browser_navigate", url=url)
        agent("browser_verify_screenshot", name="tea")
        agent("browser_verify_screenshot", name="tea", update=True)
        assert not agent("browser_export_test", format="plan", path="tea.json").is_error
    plan = tmp_path / "tea.json"
    with served(other) as url:
        assert "Step 2 failed" in agent("browser_replay", path=str(plan), baseUrl=url)
        replaced = agent("browser_replay", path=str(plan), baseUrl=url, updateBaselines=True)
        assert "All 3 steps passed." in replaced, replaced.text
        (file,) = agent.config.baseline_dir.iterdir()
        assert replaced.text.count(f"Wrote the baseline {file}\n") == 1
        assert "Wrote the baseline" not in agent("browser_replay", path=str(plan), baseUrl=url)
    options = ["--browser", browser_name, "--baseline-dir", str(agent.config.baseline_dir)]
    report = tmp_path / "report.html"
    with served(page) as url:
        options += ["--base-url", url, "--report", str(report)]
        assert replay_by_command(plan, *options) == 1
        assert replay_by_command(plan, *options, "--update-baselines") == 0
        assert f"Wrote the baseline {file}" in report.read_text("utf-8")
        assert replay_by_command(plan, *options) == 0


FLAWED = "<main><h1>Orders</h1><p style='color: #ccc; background: #fff'>Pale</p><a href='/#next'>Next</a></main>"
"""Its title is missing too, which is serious as well."""

GOOD = "<html lang=en><title>Orders</title><main><h1>Orders</h1><a href='/#next'>Next</a></main>"


@pytest.fixture
def orders(make_agent: MakeAgent, tmp_path: Path, axe_core: None) -> Path:
    """Return a plan that opens a page, checks it and follows a link in it."""
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    with served(GOOD) as url:
        agent("browser_navigate", url=url)
        agent("browser_verify_text_visible", text="Orders")
        agent("browser_click", selector="a")
        assert not agent("browser_export_test", format="plan", path="orders.json", name="orders").is_error
    return tmp_path / "orders.json"


def test_pages_of_a_replay_are_audited(make_agent: MakeAgent, orders: Path) -> None:
    flawed = replayed(make_agent, orders, FLAWED, audit=True)
    assert flawed.is_error
    assert "All 3 steps passed.\n2 audits failed." in flawed, flawed.text
    rule = r'serious: color-contrast: Elements must .* https://\S+: paragraph <p> at "p"'
    assert len(re.findall(rf"(?m)^   - {rule}$", flawed.text)) == 2, flawed.text
    assert "document-title" in flawed
    lenient = replayed(make_agent, orders, FLAWED, audit=True, impact="critical")
    assert not lenient.is_error, lenient.text
    good = replayed(make_agent, orders, GOOD, audit=True)
    assert not good.is_error, good.text
    assert len(re.findall(r"(?m)^   Audit of http://\S+/(?:#next)?: No violations in 1 document, ", good.text)) == 2
    assert "Audit" not in replayed(make_agent, orders, FLAWED)


def test_an_audit_of_a_session_is_a_check_of_the_plan(make_agent: MakeAgent, tmp_path: Path, axe_core: None) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    with served(GOOD) as url:
        page = agent("browser_navigate", url=url)
        agent("browser_audit", impact="serious")
        agent("browser_audit", ref=page.ref("link", "Next"))
        assert not agent("browser_export_test", format="plan", path="audit.json").is_error
        assert "Left out: browser_audit: Selenium has no counterpart." in agent("browser_export_test", path="test")
    good = replayed(make_agent, tmp_path / "audit.json", f"{GOOD}<p>More</p>")
    assert good.text.endswith("All 3 steps passed."), good.text
    flawed = replayed(make_agent, tmp_path / "audit.json", FLAWED)
    assert "Step 2 failed; 1 steps not done." in flawed, flawed.text
    assert "   serious: color-contrast: " in flawed


def test_the_command_audits(browser_name: str, orders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    junit, report = tmp_path / "results.xml", tmp_path / "report.html"
    options = ["--browser", browser_name, "--audit", "--junit", str(junit), "--report", str(report)]
    with served(FLAWED) as url:
        assert replay_by_command(orders, *options, "--base-url", url) == 1
        (suite,) = ElementTree.parse(junit).findall("testsuite")
        assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["5", "2", "0", "0"]
        failed = [case for case in suite if case.find("failure") is not None]
        names = [f"1. accessibility of {url}/", f"3. accessibility of {url}/#next"]
        assert [case.get("name") for case in failed] == names
        assert "color-contrast" in "".join(failed[0].itertext())
        assert report.read_text("utf-8").count("serious: color-contrast") == 2
        assert replay_by_command(orders, *options, "--base-url", url, "--impact", "critical") == 0
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
        assert replay_by_command(orders, *options, "--base-url", url) == 1
        (error,) = ElementTree.parse(junit).findall("testsuite/testcase/error")
        assert "bidi-server install axe" in str(error.get("message"))


LATE = "<p>Hello</p><script>setTimeout(() => history.replaceState('', '', '/late'), 700)</script>"


def test_a_url_that_a_script_sets_late_is_awaited(make_agent: MakeAgent, tmp_path: Path) -> None:
    """JupyterLab removes a part of its URL after the page has loaded."""
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    with served(LATE) as url:
        agent("browser_navigate", url=url)
        agent("browser_export_test", format="plan", path="plan.json")
        path = tmp_path / "plan.json"
        planned = path.read_text("utf-8").replace(f'"url": "{url}/"', f'"url": "{url}/late"')
        path.write_text(
            planned.replace(
                '"arguments": {\n        "url": "' + url + "/late", '"arguments": {\n        "url": "' + url + "/"
            )
        )
        answer = agent("browser_replay", path=str(path))
    assert answer.text.endswith("All 1 steps passed."), answer.text


def test_fields_without_a_name_have_no_locator_by_role_alone(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    body = "<ul><li id=a>One<li id=b>Two</ul><input id=first><input id=second onchange='this.after(this.value)'>"
    with served(body) as url:
        agent("browser_navigate", url=url)
        agent("browser_type", selector="#second", text="Ada", submit=True)
        agent("browser_verify_text_visible", text="Ada")
        agent("browser_export_test", format="plan", path="plan.json")
        answer = agent("browser_replay", path=str(tmp_path / "plan.json"))
    assert answer.text.endswith("All 3 steps passed.")
    assert "found by" not in answer


@pytest.mark.parametrize(
    ("shown", "passes"),
    [
        ("5 items", True),
        ("50 items", False),
        ("1.5 items", False),
        ("-5 items", False),
        ("No. 5", True),
        ("1-5 items", True),
    ],
)
def test_numbers_are_compared_as_a_whole(shown: str, passes: bool, agent: Agent, make_agent: MakeAgent) -> None:
    tester = make_agent(caps=("testing",))
    tester.show(f"<p id=out>{shown}</p>")
    assert tester("browser_verify_text_visible", text="5", timeout=0.2).is_error is not passes
    assert tester("browser_verify_state", selector="#out", text="5", timeout=0.2).is_error is not passes


CHANGES = {
    "another number": ("Reward: 1.00", "Reward: -1.00"),
    "another question": ("Really pay", "Really give up"),
    "disabled date": ("<input type=date", "<input disabled type=date"),
    "hidden date": ("<input type=date", "<input hidden type=date"),
}


def test_what_an_exported_test_finds(browser_name: str, make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path)
    body = """<label>When <input type=date></label>
    <button onclick="if (confirm('Really pay for 3?')) out.textContent = 'Reward: 1.00'">Pay</button><p id=out></p>"""
    with served(body) as url:
        page = agent("browser_navigate", url=url)
        fields = [{"ref": page.ref("textbox", "When"), "value": "2026-12-24"}]
        agent("browser_fill_form", fields=fields)
        agent("browser_click", ref=page.ref("button", "Pay"))
        agent("browser_handle_dialog", accept=True)
        agent("browser_verify_text_visible", text="1.00")
        assert not agent("browser_export_test", path="pay", name="pay").is_error
    test = tmp_path / "pay" / "test_pay.py"
    source = test.read_text("utf-8")
    assert "answer_dialog(driver, True, says='Really pay for 3?')" in source.replace('"', "'")
    assert "The control can't be changed." in source
    test.write_text(re.sub(r"TIMEOUT = \d+", "TIMEOUT = 1", source), encoding="utf-8")
    assert ran(browser_name, test, body.replace("for 3", "for 4")) == 0
    for change, (old, new) in CHANGES.items():
        assert ran(browser_name, test, body.replace(old, new)) == 1, change


def test_the_element_of_a_check_is_found_again(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(caps=("testing",), output_dir=tmp_path, action_timeout=3)
    body = "<main><h1>Sum</h1><p>of all</p><p id=sum>12</p></main>"
    with served(body) as url:
        agent("browser_navigate", url=url)
        assert not agent("browser_verify_state", selector="#sum", text="12").is_error
        agent("browser_export_test", format="plan", path="plan.json")
    path = tmp_path / "plan.json"
    renamed = body.replace("id=sum", "id=total")
    with served(renamed) as url:
        answer = agent("browser_replay", path=str(path), baseUrl=url, update=True)
        assert "#sum was not found, but " in answer
        assert not answer.is_error
        assert "#sum" not in path.read_text("utf-8")
        assert agent("browser_replay", path=str(path), baseUrl=url).text.endswith("All 2 steps passed.")
    with served(renamed.replace("12", "13")) as url:
        assert agent("browser_replay", path=str(path), baseUrl=url).is_error
