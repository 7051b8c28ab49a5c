"""Roles, names and states that custom elements set on their ElementInternals."""

import re

from tests.support.world import Agent

DEFINE = """<script>
const define = (name, mode, role, said, inside) => customElements.define(name, class extends HTMLElement {
  static formAssociated = true;
  constructor() {
    super();
    this.internals = Object.assign(this.attachInternals(), {role}, said);
    this.attachShadow({mode}).innerHTML = inside;
  }
});
</script>"""


def test_role_name_and_states_come_from_internals(agent: Agent) -> None:
    agent.show(
        f"""{DEFINE}<script>
        define('my-button', 'open', 'button', {{ariaPressed: 'true'}}, '<slot></slot>');
        define('my-check', 'closed', 'checkbox', {{ariaChecked: 'mixed', ariaLabel: 'All'}}, '');
        define('my-range', 'open', 'slider', {{ariaLabel: 'Size', ariaValueNow: '3', ariaValueMax: '9'}}, '');
        define('my-form', 'closed', 'group', {{ariaLabel: 'Form'}}, '<my-check></my-check>');
        define('my-field', 'open', 'switch', {{ariaChecked: 'true'}}, '');
        </script>
        <my-button>Bold</my-button><my-check></my-check><my-range></my-range><my-form></my-form>
        <label>Wifi <my-field></my-field></label>"""
    )
    text = agent("browser_snapshot").text
    assert 'button "Bold" [pressed]' in text
    assert text.count('checkbox "All" [checked=mixed]') == 2, "one is in a closed shadow root"
    assert 'slider "Size"' in text
    assert 'group "Form"' in text
    assert 'switch "Wifi" [checked]' in text


def test_attributes_count_before_internals(agent: Agent) -> None:
    agent.show(
        f"""{DEFINE}<script>
        define('my-thing', 'open', 'button', {{ariaLabel: 'Mine', ariaHidden: null}}, '');
        </script><my-thing role=checkbox aria-label=Yours></my-thing><my-thing role=nonsense></my-thing>"""
    )
    text = agent("browser_snapshot").text
    assert 'checkbox "Yours"' in text
    assert 'button "Mine"' in text


def test_elements_that_internals_name(agent: Agent) -> None:
    """Labels stand beside the element, in its own tree or around it; the closed root of the second hides both."""
    agent.show(
        f"""{DEFINE}<p id=one>One</p><p id=two>Two</p><script>
        define('my-button', 'open', 'button', {{
          ariaLabelledByElements: [two, one], ariaDescribedByElements: [two],
        }}, '');
        define('my-form', 'closed', 'group', {{ariaLabelledByElements: [one]}}, '<b>In</b><my-button></my-button>');
        define('my-list', 'closed', 'listbox', {{ariaLabel: 'List'}}, '<slot></slot>');
        </script><my-button></my-button><my-form></my-form><my-button aria-labelledby=one></my-button>
        <my-list tabindex=0><i role=option id=a>A</i> <i role=option id=b>B</i></my-list><script>
        const list = document.querySelector('my-list');
        list.internals.ariaActiveDescendantElement = b;
        list.focus();
        const root = document.querySelector('my-form').internals.shadowRoot;
        const inner = document.createElement('my-button');
        root.append(inner);
        inner.internals.ariaLabelledByElements = [root.querySelector('b'), one];
        </script>"""
    )
    text = agent("browser_snapshot").text
    assert text.count('button "Two One"') == 2
    assert 'group "One"' in text
    assert re.search(r'button "One" \[ref=\w+\] \(description: Two\)', text)
    assert 'button "In One"' in text
    assert 'option "B" [active]' in text


def test_a_change_of_internals_is_a_change_of_the_page(agent: Agent) -> None:
    agent.show(
        f"""{DEFINE}<script>
        define('my-check', 'open', 'checkbox', {{ariaChecked: 'false', ariaLabel: 'All'}}, '');
        </script><my-check id=x onclick="this.internals.ariaChecked = 'true'" style='display: block; height: 20px'>
        </my-check>"""
    )
    assert 'checkbox "All" [checked]' in agent("browser_click", selector="#x").text


def test_the_page_notices_nothing_and_breaks_nothing(agent: Agent) -> None:
    agent.show(
        f"""<p id=seen>seen:</p><p id=attach></p>{DEFINE}<script>
        const mine = () => {{ seen.textContent += ' asked'; throw new Error('mine'); }};
        const {{attachInternals}} = HTMLElement.prototype;
        define('my-check', 'open', 'checkbox', {{ariaLabel: 'All'}}, '');
        const twice = document.createElement('my-check');
        try {{ twice.attachInternals(); }} catch (error) {{
          attach.textContent = `${{attachInternals.name}} ${{attachInternals.length}} ${{error.name}}`;
        }}
        for (const name of Object.getOwnPropertyNames(ElementInternals.prototype))
          if (name !== 'constructor') Object.defineProperty(ElementInternals.prototype, name, {{get: mine}});
        for (const name of ['bubbles', 'composed', 'data', 'toJSON'])
          Object.defineProperty(Object.prototype, name, {{get: mine}});
        EventTarget.prototype.dispatchEvent = Array.prototype[Symbol.iterator] = String.prototype.slice = mine;
        </script><my-check></my-check>"""
    )
    agent("browser_snapshot")
    text = agent("browser_snapshot").text
    assert 'checkbox "All"' in text
    assert "attachInternals 0 NotSupportedError" in text
    assert "seen:" in text
    assert "asked" not in text
