"""The measured operations, typical for an agent's work, each on a page of the local site."""

from dataclasses import dataclass
from typing import Literal

from benchmarks.peers import Act
from fixtures.site import Site

TEXT = "abcdefghij0123456789"

LATER_MS = 200
"""Response time of the single-page application's server, in milliseconds."""


@dataclass(frozen=True)
class Element:
    """The element that an operation acts on."""

    role: Literal["button", "link", "textbox"]
    name: str
    selector: str


@dataclass(frozen=True)
class Operation:
    """One operation. Its page is already open, except for ``navigate``."""

    name: str
    act: Act
    url: str
    element: Element | None = None
    effect: str = ""
    """Text that the page shows only after the operation. The report says whether the answer shows it."""
    comes: Literal["at once", "later", "as a page"] = "at once"
    """When the effect appears."""
    reload: bool = False
    """Whether the page is reloaded for each run."""
    deep: bool = False
    """Whether the page is too large for most servers."""


BUTTON = Element("button", "Go", "button")
LINK = Element("link", "Go", "a")
FIELD = Element("textbox", "Name", "input")

AT_ONCE = "<button onclick=\"out.textContent = 'Pressed ' + Date.now()\">Go</button><p id=out>-</p>"

LATER = f"""<button>Go</button><ul id=list></ul>
<script>
  document.querySelector('button').onclick = async () => {{
    const {{ items }} = await (await fetch('/slow?ms={LATER_MS}')).json();
    list.innerHTML = items.map((item) => `<li>${{item}}</li>`).join('');
  }};
</script>"""


def operations(site: Site) -> list[Operation]:
    """Return all operations and register their pages on the site."""
    form = site.url_for("/form")
    snapshots = {
        "form": "/form",
        "table": "/table/75",  # four controls a row
        "1k": "/nodes/1000",
        "10k": "/nodes/10000",
        "50k": "/nodes/50000",
    }
    link = site.html("<h1>Here</h1><a href='/form'>Go</a>")
    still = site.url_for("/table/3")  # without a script
    link_still = site.html(f"<h1>Here</h1><a href='{still}'>Go</a>")
    return [
        Operation("navigate", "navigate", form),
        Operation("navigate-still", "navigate", still),
        *(
            Operation(f"snapshot-{name}", "snapshot", site.url_for(path), deep=name == "50k")
            for name, path in snapshots.items()
        ),
        Operation("click", "click", site.html(AT_ONCE), BUTTON, effect="Pressed"),
        Operation(
            "click-navigation", "click", link, LINK, effect="Every kind of field", comes="as a page", reload=True
        ),
        Operation("click-navigation-still", "click", link_still, LINK, effect="Orders", comes="as a page", reload=True),
        Operation("type", "type", site.html("<input aria-label=Name>"), FIELD, reload=True),
        Operation("evaluate", "evaluate", form),
        Operation("screenshot", "screenshot", form),
        Operation("spa", "click", site.html(LATER), BUTTON, effect="Cedar", comes="later", reload=True),
    ]
