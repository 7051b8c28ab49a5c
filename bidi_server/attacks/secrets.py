"""Attacks on secrets: pages show values in every encoding, by every channel, and agents are led to other origins.

The secrets are throw-away ones.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from bidi_server.attacks.findings import REPORT, Finding
from bidi_server.attacks.front import Answer, Call, Front
from bidi_server.attacks.secret_values import ENCODINGS, PLAIN, VALUE, found_in
from bidi_server.attacks.site import Resource

BANK = "https://bank.example"
"""The origin of the secret that no hostile page may get."""

REFUSED = re.compile("may not be used|is not typed key by key")
"""Reasons for which a secret is not entered."""

FORM = """<form action="/login"><input id=i aria-label=Field><input id=pw type=password aria-label=Password>
<textarea id=t aria-label=Area></textarea><div id=e contenteditable role=textbox aria-label=Editor>x</div></form>
<button id=ask type=button onclick="document.title = 'got ' + prompt('Word?')">Ask</button>
<a id=load download href="data:text/plain,x">Download</a>
<script>
const steal = () => i.value || t.value || e.textContent;
addEventListener('input', (event) => console.error('heard', event.target.value ?? event.target.textContent));
</script>"""
"""A page that takes what is entered and shows it elsewhere."""

TEXT = {"Content-Type": "text/plain; charset=utf-8"}

SHOW = """fetch('/shown').then((answer) => answer.text()).then((text) => {
  console.error(shown.textContent = document.title = text);
  return text;
})"""
"""A script that shows a text of the site wherever an agent reads."""

_TYPED: Call = ("browser_type", {"selector": "#i", "text": "{{PLAIN}}"})
_FILLED = {"fields": [{"selector": "#i", "value": "I am {{PLAIN}}"}, {"selector": "#pw", "value": "{{VALUE}}"}]}


def _shown(script: str) -> Call:
    return "browser_evaluate", {"function": f"() => {{ {script} }}"}


CHANNELS: dict[str, tuple[Call, ...]] = {
    "a field": (_TYPED, ("browser_snapshot", {})),
    "a password field": (("browser_type", {"selector": "#pw", "text": "{{VALUE}}"}), ("browser_snapshot", {})),
    "a text area": (("browser_type", {"selector": "#t", "text": "{{VALUE}}"}), ("browser_snapshot", {})),
    "an editor": (("browser_type", {"selector": "#e", "text": "{{PLAIN}}"}), ("browser_snapshot", {})),
    "a form": (("browser_fill_form", _FILLED), ("browser_snapshot", {})),
    "the console": (_TYPED, ("browser_console_messages", {"level": "debug"})),
    "the title": (_TYPED, _shown("document.title = steal()"), ("browser_tabs", {"action": "list"})),
    "the URL": (_TYPED, _shown("history.replaceState(0, '', '?' + steal())"), ("browser_snapshot", {})),
    "the value of a script": (_TYPED, _shown("return steal()")),
    "an object of a script": (_TYPED, _shown("return {[steal()]: [steal()]}")),
    "an error of a script": (_TYPED, _shown("throw new Error(steal())")),
    "a dialog": (
        _TYPED,
        _shown("ask.onclick = () => alert(steal())"),
        ("browser_click", {"selector": "#ask"}),
        ("browser_handle_dialog", {"accept": True}),
    ),
    "a request": (
        _TYPED,
        _shown("return fetch('/image.png?' + steal(), {method: 'POST', body: steal()}).then(() => 1)"),
        ("browser_network_requests", {"includeStatic": True}),
    ),
    "a failed request": (
        _TYPED,
        _shown("return fetch('/none/' + encodeURIComponent(steal())).then(() => 1)"),
        ("browser_network_requests", {"includeStatic": True}),
    ),
    "a submitted form": (("browser_fill_form", _FILLED), ("browser_press_key", {"key": "Enter"})),
    "the name of a download": (_TYPED, _shown("load.download = steal()"), ("browser_click", {"selector": "#load"})),
    "the name of a control": (_TYPED, _shown("ask.ariaLabel = steal()"), ("browser_hover", {"selector": "#ask"})),
    "an attribute": (_TYPED, _shown("ask.id = steal()"), ("browser_snapshot", {"selector": "button"})),
    "a prompt": (
        ("browser_click", {"selector": "#ask"}),
        ("browser_handle_dialog", {"accept": True, "promptText": "{{PLAIN}}"}),
        ("browser_snapshot", {}),
    ),
    "a cookie": (
        ("browser_cookie_set", {"name": "c", "value": "{{PLAIN}}"}),
        ("browser_cookie_list", {}),
        _shown("return document.cookie"),
    ),
    "localStorage": (
        ("browser_localstorage_set", {"key": "k", "value": "{{VALUE}}"}),
        ("browser_localstorage_list", {}),
        _shown("return localStorage.k"),
    ),
    "sessionStorage": (
        ("browser_sessionstorage_set", {"key": "k", "value": "{{VALUE}}"}),
        ("browser_sessionstorage_list", {}),
        _shown("return sessionStorage.k"),
    ),
    "a header": (
        ("browser_route", {"pattern": "**/none*", "headers": ["X-Key: {{PLAIN}}"]}),
        _shown("return fetch('/none').then(() => 1)"),
        ("browser_route_list", {}),
        ("browser_unroute", {}),
    ),
}
"""Calls by which a page gets a secret, and by which an agent might read it."""

BOUND: dict[str, tuple[Call, ...]] = {
    "a field": (("browser_type", {"selector": "#i", "text": "{{BANK}}"}),),
    "a password field": (("browser_type", {"selector": "#pw", "text": "{{BANK}}"}),),
    "a text area": (("browser_type", {"selector": "#t", "text": "{{BANK}}"}),),
    "an editor": (("browser_type", {"selector": "#e", "text": "{{BANK}}"}),),
    "a field, with other text": (("browser_type", {"selector": "#i", "text": "me:{{BANK}}"}),),
    "a field, key by key": (("browser_type", {"selector": "#i", "text": "{{BANK}}", "slowly": True}),),
    "a field, with another secret": (("browser_type", {"selector": "#i", "text": "{{PLAIN}}{{BANK}}"}),),
    "a form": (("browser_fill_form", {"fields": [{"selector": "#pw", "value": "{{BANK}}"}]}),),
    "a prompt": (
        ("browser_click", {"selector": "#ask"}),
        ("browser_handle_dialog", {"accept": True, "promptText": "{{BANK}}"}),
    ),
    "a cookie": (("browser_cookie_set", {"name": "c", "value": "{{BANK}}"}),),
    "localStorage": (("browser_localstorage_set", {"key": "k", "value": "{{BANK}}"}),),
    "sessionStorage": (("browser_sessionstorage_set", {"key": "k", "value": "{{BANK}}"}),),
    "a header": (("browser_route", {"pattern": "**/none*", "headers": ["X-Key: {{BANK}}"]}),),
    "a response": (("browser_route", {"pattern": "**/none*", "body": "{{BANK}}"}),),
}
"""Calls that would give a secret of another origin to the page; the last one of each must be refused."""


def write_secrets(folder: Path) -> Path:
    """Write the file of secrets and return its path."""
    file = folder / "secrets.env"
    file.touch(0o600)
    file.write_text(f"PLAIN={PLAIN}\nVALUE='{VALUE}'\nBANK@{BANK}=Nobody-Else-{PLAIN}\n", "utf-8")
    return file


async def run_encodings(front: Front) -> list[Finding]:
    """Open a page for each encoding that shows the values wherever an agent reads."""
    found: list[Finding] = []
    async with front.connected(secrets=write_secrets(front.folder)) as agent:
        for encoding, encode in ENCODINGS.items():
            values = [PLAIN] if encoding == "upper case" else [PLAIN, VALUE]
            answers: list[Answer] = []
            for value in values:
                await agent.open(front.site.page("<p id=shown></p><button>Go</button>"))
                front.site.resources["/shown"] = Resource(encode(value).encode(), 200, TEXT)
                answers.append(await agent.call("browser_evaluate", function=SHOW))
                answers.append(await agent.call("browser_snapshot"))
                answers.append(await agent.call("browser_console_messages"))
            found.append(judge(encoding, answers))
    return found


async def run_channels(front: Front) -> list[Finding]:
    """Enter secrets into a page that shows them by each channel."""
    return [judge(channel, answers) for channel, answers in await _entered(front, CHANNELS)]


async def run_bound(front: Front) -> list[Finding]:
    """Enter a secret that is for another origin."""
    found: list[Finding] = []
    for place, answers in await _entered(front, BOUND):
        last = answers[-1]
        if last.is_error:
            found.append(Finding(place, "held" if REFUSED.search(last.text) else "unsent", last.text))
        else:
            text = f"A secret of another origin was given to the page: {place}."
            found.append(Finding(place, "broken", text, REPORT))
    return found


async def _entered(front: Front, cases: Mapping[str, tuple[Call, ...]]) -> list[tuple[str, list[Answer]]]:
    """Make the calls of each case on a page of its own, and return the name of each case with its answers."""
    entered: list[tuple[str, list[Answer]]] = []
    async with front.connected(secrets=write_secrets(front.folder)) as agent:
        for case, calls in cases.items():
            await agent.open(front.site.page(FORM))
            answers = [await agent.call(tool, **arguments) for tool, arguments in calls]
            if answers[-1].is_error and calls[-1][0] == "browser_handle_dialog":
                await agent.call("browser_handle_dialog", accept=False)
            entered.append((case, answers))
    return entered


def judge(case: str, answers: list[Answer]) -> Finding:
    """Return whether no answer shows a value."""
    text = "\n".join(answer.text for answer in answers)
    if leaks := [each for value in (PLAIN, VALUE) for each in found_in(text, value)]:
        return Finding(case, "broken", f"An answer shows a secret ({case}), as: {', '.join(leaks)}.", REPORT)
    return Finding(case, "held" if "{{" in text else "unsent", text)
