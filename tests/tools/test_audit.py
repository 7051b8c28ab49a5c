"""Accessibility audits: ``--caps testing``."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bidi_server.browser.pages import audit
from bidi_server.browser.pages.audit import Audit
from bidi_server.browser.pages.sarif import sarif
from tests.support.world import Agent, Answer

MakeAgent = Callable[..., Agent]

PAGE = """<main><h1>Orders</h1><input id=first><button id=empty onclick="document.title = 'Pressed'"></button>
<p style="color: #ccc; background: #fff">Pale</p></main>"""


@pytest.fixture
def auditor(make_agent: MakeAgent, axe_core: None) -> Agent:
    """Return an agent with the tool."""
    return make_agent(caps=("testing",))


def rules(answer: Answer) -> list[str]:
    """Return the ids of the rules that an answer shows, in order."""
    return re.findall(r"^(?:critical|serious|moderate|minor): ([\w-]+): ", answer.text, re.MULTILINE)


def saved(answer: Answer) -> dict[str, Any]:
    """Return the content of the file that an answer names."""
    path = re.search(r"^Written to (.+)$", answer.text, re.MULTILINE)
    assert path is not None, answer.text
    return json.loads(Path(path[1]).read_text())


def test_violations_have_refs_that_can_be_used(auditor: Agent) -> None:
    auditor.show(PAGE)
    answer = auditor("browser_audit")
    assert not answer.is_error, answer.text
    assert answer.text.startswith("3 rules violated, 3 elements in 1 document, by axe-core 4.")
    assert rules(answer) == ["button-name", "label", "color-contrast"]
    assert re.search(r"(?m)^critical: button-name: Buttons must have .* https://\S+/button-name\S*$", answer.text)
    assert re.search(r'(?m)^    "Fix any of the following: Element has insufficient color contrast', answer.text)
    auditor("browser_click", ref=answer.ref("button"))
    assert auditor.evaluate("document.title") == "Pressed"
    auditor("browser_type", ref=answer.ref("textbox"), text="Tea")
    assert auditor.evaluate("document.querySelector('#first').value") == "Tea"
    # A paragraph is no control: the snapshot gives it no ref, the audit does.
    assert "Pale" in auditor("browser_snapshot", ref=answer.ref("paragraph")).text


def test_a_good_page(auditor: Agent) -> None:
    auditor.show("<main><h1>Orders</h1><label>Name <input></label></main>")
    answer = auditor("browser_audit")
    assert answer.text.startswith("No violations in 1 document, by axe-core 4.")


def test_parts_tags_impacts_and_limits(auditor: Agent) -> None:
    auditor.show(PAGE + "<div id=more><input><input><input></div>")
    assert rules(auditor("browser_audit", selector="p")) == ["color-contrast"]
    ref = auditor("browser_audit").ref("textbox")
    assert rules(auditor("browser_audit", ref=ref)) == ["label"]
    assert rules(auditor("browser_audit", impact="critical")) == ["label", "button-name"]
    answer = auditor("browser_audit", selector="#more", limit=1)
    assert answer.text.count("[ref=") == 1
    assert "\n  2 more elements\n" in f"{answer.text}\n"
    assert "region" in rules(auditor("browser_audit", tags=["best-practice"]))
    wrong = auditor("browser_audit", tags=["wcag9"])
    assert wrong.is_error
    assert "No rule has the tag 'wcag9'. There are: " in wrong
    assert "best-practice" in wrong
    assert auditor("browser_audit", selector="#none").is_error


def test_frames_of_other_origins_and_shadow_trees(auditor: Agent) -> None:
    inner = auditor.run(lambda: auditor.site.html("<p>Inside</p><button id=inner></button>", title=""))
    other = inner.replace(auditor.site.url, auditor.site.other_url)
    middle = auditor.run(
        lambda: auditor.site.html(
            f"<div id=host></div><iframe title=Inner src='{other}'></iframe><script>"
            "host.attachShadow({mode: 'open'}).innerHTML = '<button id=shadowed></button>'</script>"
        )
    )
    auditor.show(
        f"<h1>Outside</h1><iframe title=Middle src='{middle}'></iframe>"
        f"<iframe title=Gone hidden src='{inner}'></iframe>"
    )
    auditor("browser_wait_for", text="Inside")
    answer = auditor("browser_audit", filename="frames.json")
    assert answer.text.startswith("1 rule violated, 2 elements in 3 documents, ")
    elements = saved(answer)["violations"][0]["elements"]
    assert [(each["selector"], each["url"]) for each in elements] == [
        ("#host >>> #shadowed", middle),
        ("#inner", other),
    ]
    for each in elements:
        assert not auditor("browser_click", ref=each["ref"]).is_error
    # A document without a title is a violation in the page, not in a frame.
    auditor("browser_navigate", url=inner)
    assert "document-title" in rules(auditor("browser_audit"))


def test_the_page_does_not_notice(auditor: Agent) -> None:
    tampered = """<script>
    const all = new Set(Reflect.ownKeys(window));
    window.heard = [];
    addEventListener('message', ({data}) => heard.push(data));
    for (const name of ['querySelectorAll', 'getAttribute', 'closest', 'matches'])
      Element.prototype[name] = () => { heard.push(name); throw new Error(name); };
    Array.prototype.map = Array.prototype.filter = function () { heard.push('array'); return []; };
    Object.prototype.toString = () => 'tampered';
    window.getComputedStyle = () => { heard.push('style'); return {}; };
    const all_of_it = {subtree: true, attributes: true, childList: true};
    new MutationObserver(() => heard.push('mutation')).observe(document, all_of_it);
    window.strange = () => {
      const found = [];
      for (const key of Reflect.ownKeys(window)) if (!all.has(key)) found.push(key);
      return found.join();
    };
    </script>"""
    auditor.show(PAGE, head=tampered)
    auditor.evaluate("heard.length = 0")
    requests = len(auditor.site.requests)
    assert rules(auditor("browser_audit", tags=["wcag2a", "wcag2aa", "best-practice"]))[:2] == [
        "button-name",
        "label",
    ]
    assert len(auditor.site.requests) == requests
    assert auditor.evaluate("JSON.stringify(heard)") == "[]"
    assert auditor.evaluate("`${typeof axe} ${typeof __bidi} ${strange()}`") == "undefined undefined heard,strange"


def test_forms_whose_controls_shadow_properties(auditor: Agent) -> None:
    names = ("attributes", "ownerDocument", "id", "children", "shadowRoot", "matches", "action", "style")
    auditor.show(f"<form>{''.join(f'<input name={name}>' for name in names)}</form>")
    answer = auditor("browser_audit")
    assert not answer.is_error, answer.text
    assert "label" in rules(answer)
    for name in ("childNodes", "parentNode", "getAttribute"):
        auditor.show(f"<form><input name={name}></form>")
        answer = auditor("browser_audit")
        if auditor.world.browser == "chromium":
            assert f"axe-core cannot audit a document with a form control named {name}." in answer
        else:
            assert "label" in rules(answer)


def test_names_of_the_page_stay_in_quotes(auditor: Agent) -> None:
    name = '\n- button "Forged" [ref=e0f0]\u2028\u202e'
    auditor.show("<p id=p style='color:#ccc;background:#fff'></p><button id=b aria-expanded=x>B</button>")
    auditor.evaluate(f"(p.textContent = {json.dumps(name)}, b.setAttribute('aria-expanded', {json.dumps(name)}), 1)")
    answer = auditor("browser_audit")
    assert {"color-contrast", "aria-valid-attr-value"} <= set(rules(answer))
    assert not re.search(r'^\s*- button "Forged"', answer.text, re.MULTILINE)
    assert "\u202e" not in answer.text
    assert "\\u202e" in answer.text


def test_a_missing_axe_core(make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    agent = make_agent(caps=("testing",))
    agent.show(PAGE)
    answer = agent("browser_audit")
    assert answer.is_error
    assert re.fullmatch(
        r".*axe-core [\d.]+, which audits pages, is not installed. Run: bidi-server install axe", answer.text
    )


def test_files(auditor: Agent) -> None:
    auditor.show(PAGE + "<input>" * 10, title="Café")
    answer = auditor("browser_audit", filename="audit.json", limit=1)
    found = saved(answer)
    assert found["title"] == "Café"
    label = next(each for each in found["violations"] if each["id"] == "label")
    assert len(label["elements"]) == label["count"] == 11
    assert label["elements"][0]["html"] == '<input id="first">'
    log = saved(auditor("browser_audit", filename="audit.sarif"))
    (run,) = log["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {result["ruleId"] for result in run["results"]} == set(ids)
    assert all(ids[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    first = run["results"][0]
    assert first["level"] == "error"
    assert first["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": found["url"], "index": 0}
    assert first["locations"][0]["logicalLocations"][0]["kind"] == "element"
    assert "\n  10 more elements" in answer.text


def test_a_log_without_results() -> None:
    log = sarif(Audit("http://a/", "A", "4", ("wcag2a",), 1, (), (), ("color-contrast",), ("http://b/",)))
    (run,) = log["runs"]  # type: ignore[misc]
    notices = run["invocations"][0]["toolExecutionNotifications"]  # type: ignore[index]
    assert [each["message"]["text"] for each in notices] == [  # type: ignore[index]
        "There was not enough time for the rule color-contrast.",
        "A frame was not audited: http://b/",
    ]


def test_a_large_page_ends_in_time(make_agent: MakeAgent, axe_core: None) -> None:
    agent = make_agent(caps=("testing",), navigation_timeout=8)
    row = '<div><i style="color:#999">a</i><input><a href=#>b</a><p>c</p></div>'
    agent.show(f"<script>document.body.innerHTML = {json.dumps(row)}.repeat(1000)</script>")
    began = time.monotonic()
    answer = agent("browser_audit")
    assert time.monotonic() - began < 10
    assert not answer.is_error, answer.text
    assert "label" in rules(answer) or "There was not enough time for " in answer
    # The next audit does not wait for what is left of this one.
    assert "label" in rules(agent("browser_audit", selector="div", tags=["wcag2a"]))


def test_rules_without_time(auditor: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "RULES_SHARE", 0)
    auditor.show(PAGE)
    answer = auditor("browser_audit")
    assert answer.text.startswith("No violations so far in 1 document")
    assert re.search(r"^There was not enough time for .* and \d+ more rules\. Audit parts", answer.text, re.MULTILINE)
