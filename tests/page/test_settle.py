"""The wait for a page to be at rest."""

from tests.page.conftest import Page


def test_a_page_hears_that_it_has_scrolled_before_it_is_at_rest(page: Page) -> None:
    page.load("<div style='height: 5000px'></div>")
    heard = page.ask("""async () => {
      let heard = 0;
      addEventListener('scroll', () => heard++);
      scrollTo(0, 500);
      await __bidi.settle({quiet: 0, ceiling: 5000, frame: 5000});
      return heard;
    }""")
    assert heard == 1
