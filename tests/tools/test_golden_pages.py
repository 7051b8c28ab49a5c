"""Whole pages as agents see them: the answers that must not change by accident."""

from pathlib import Path

import pytest

from tests.support.world import Agent

GOLDEN = Path(__file__).parents[1] / "golden" / "pages"

PAGES = {
    "form": "/form",
    "frames": "/frames",
    "links": "/links",
    "menu": "/menu",
    "overlay": "/overlay",
    "shadow": "/shadow",
    "table": "/table/12",
    "outline": "/nodes/3000",
}
"""Pages of the site in `fixtures`, by the name of their golden file. The last is larger than an answer may be."""


def seen(agent: Agent, path: str) -> str:
    """Return the answer with a page, without what differs between two runs."""
    answer = agent("browser_navigate", url=agent.site.url_for(path)).text
    page = answer[answer.index("Page: ") :]  # Firefox 140 now and then prints an error of its own before it
    return page.replace(agent.site.url_for("/"), "http://site/").replace(agent.site.other_url_for("/"), "http://other/")


def golden_file(name: str, browser: str) -> Path:
    """Return the golden file of a page: that of the browser, if there is one, or that of all."""
    own = GOLDEN / f"{name}.{browser}.txt"
    return own if own.exists() else GOLDEN / f"{name}.txt"


@pytest.mark.parametrize("name", PAGES)
def test_page_is_the_golden_one(agent: Agent, browser_name: str, name: str) -> None:
    assert f"{seen(agent, PAGES[name])}\n" == golden_file(name, browser_name).read_text("utf-8"), (
        "an answer has changed; if that is meant, write it anew: python -m tests.golden pages"
    )
