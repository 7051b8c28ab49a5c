"""Links and forms that leave the page are announced, and others are not."""

from collections.abc import Iterator

import pytest

from tests.page.conftest import Browser, Page

CLICK = """async () => {
  document.getElementById('x').click();
  const leaves = __bidi.takeLeaving() !== null || await __bidi.isLeaving();
  window.stop();
  return leaves;
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab of its own: a navigation that is stopped may still disturb the next one in Chromium 156."""
    page = Page(browser)
    yield page
    page.close()


@pytest.fixture
def held(page: Page) -> str:
    """The address of a page whose server never answers."""
    return f"{page.browser.serve('', 'text/html').rpartition('/page/')[0]}/hold/left"


@pytest.mark.parametrize(
    "html",
    [
        "<a id=x href='{url}'>A</a>",
        "<a href='{url}'><b id=x>A</b></a>",
        "<a href='{url}'><button id=x>A</button></a>",
        "<a id=x target=_self href='{url}'>A</a>",
        "<base target=_blank><a id=x target=_SELF href='{url}'>A</a>",
        "<div><template shadowrootmode=open><a href='{url}'><slot></slot></a></template><b id=x>A</b></div>",
        "<map name=m><area id=x shape=default href='{url}'></map><img usemap='#m'>",
        "<form action='{url}'><input name=action><button id=x>A</button></form>",
        "<form><button id=x formaction='{url}'>A</button></form>",
        "<form action='{url}' method=dialog><button id=x formmethod=get>A</button></form>",
    ],
)
def test_a_link_or_form_that_leaves_the_page(page: Page, held: str, html: str) -> None:
    page.load(html.replace("{url}", held))
    assert page.ask(CLICK) is True


@pytest.mark.parametrize(
    "html",
    [
        "<a id=x>A</a>",
        "<a id=x href='#part'>A</a>",
        "<a id=x href='{url}' onclick='return false'>A</a>",
        "<a id=x href='{url}'>A</a><script>addEventListener('click', (event) => event.preventDefault())</script>",
        "<a id=x href='{url}' target=elsewhere rel=opener>A</a><iframe name=elsewhere></iframe>",
        "<base target=elsewhere><a id=x href='{url}'>A</a><iframe name=elsewhere></iframe>",
        "<a id=x href='javascript:void 0'>A</a>",
        "<a href='{url}'><input id=x type=checkbox></a>",
        "<form action='{url}' onsubmit='return false'><button id=x>A</button></form>",
        "<form action='{url}'><input required><button id=x>A</button></form>",
        "<form action='{url}' method=dialog><button id=x>A</button></form>",
        "<form action='{url}' target=elsewhere><button id=x>A</button></form><iframe name=elsewhere></iframe>",
        "<form action='javascript:void 0'><button id=x>A</button></form>",
        "<button id=x>A</button>",
    ],
)
def test_one_that_stays(page: Page, held: str, html: str) -> None:
    page.load(html.replace("{url}", held))
    assert page.ask(CLICK) is False
