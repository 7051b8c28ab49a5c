"""Changes of the demo's shop: some that a replay should heal or not notice, and some that it should find."""

from bidi_server.commands.demo import SHOP

PAGE = (SHOP / "index.html").read_text("utf-8")

Changes = list[tuple[str, str]]
"""Texts, each with the one in its place."""

BUTTON = '<button class="button main" id="order" disabled>Place order</button>'
EMAIL = '<label>Email <input type="email" name="email" autocomplete="email" required></label>'
SUMS = "function showSums() {"

HARMLESS: dict[str, Changes] = {
    "id of a form": [("'checkout'", "'pay'"), ('id="checkout"', 'id="pay"')],
    "id of a button": [("byId('order')", "byId('send')"), ('id="order"', 'id="send"')],
    "id of a list": [("byId('goods')", "byId('offers')"), ('id="goods"', 'id="offers"')],
    "id of a product": [("id: 'notebook'", "id: 'dotted'")],
    "classes of buttons": [('class="button main"', 'class="btn primary"'), ('class="button"', 'class="btn"')],
    "classes of panels": [('class="panel"', 'class="box"')],
    "no classes": [('class="fields" ', ""), ('class="half"', ""), ('class="check"', "")],
    "wrapper of a form": [('<form class="f', '<div><form class="f'), ("</form>\n      </sec", "</form></div></sec")],
    "wrapper of a button": [(BUTTON, f"<p><span>{BUTTON}</span></p>")],
    "wrapper of a product": [("<li><article", "<li><div><article"), ("</article></li>", "</article></div></li>")],
    "test attribute": [("data-add", "data-product"), ("{ add, remove }", "{ product: add, remove }")],
    "order of attributes": [('type="email" name="email"', 'name="email" type="email"')],
    "name of a field": [('<input name="name"', '<input name="customer"'), ("elements.name.", "elements.customer.")],
    "name of the search": [('name="q"', 'name="words"'), ("target.q.", "target.words.")],
    "label beside its field": [("<label>Name <input", '<label for="who">Name</label><label><input id="who"')],
    "label as an attribute": [(EMAIL, '<input type="email" name="email" aria-label="Email" required>')],
    "placeholder": [("Search teas and papers", "What are you looking for?")],
    "heading": [('<h2 id="checkout-title">Checkout</h2>', '<h3 id="checkout-title">Payment</h3>')],
    "banner": [("<main", '<aside aria-label="News">Free tea on Mondays.</aside><main')],
    "slower server": [("), 120)", "), 700)")],
    "order of fields": [(EMAIL, ""), ("<label>Name <input", f"{EMAIL}<label>Name <input")],
}  # fmt: skip

BROKEN: dict[str, Changes] = {
    "no button": [('aria-label="Add to cart: ${name}"', "hidden")],
    "another button in its place": [("Add to cart: ${name}", "Remember: ${name}"), (">Add to cart<", ">Remember<")],
    "no field": [(EMAIL, "")],
    "no option": [('<option value="express">Express, €7.90</option>', "")],
    "no checkbox": [('<label class="check"><input type="checkbox" name="gift"> Gift wrap, €2.00</label>', "")],
    "disabled button": [("byId('order').disabled = count === 0", "byId('order').disabled = true")],
    "covered button": [("<main", '<div style="position:fixed;inset:0;z-index:9"></div><main')],
    "dead search": [("byId('search').addEventListener('input'", "byId('search').addEventListener('never'")],
    "dead form": [("event.preventDefault();\n    if", "event.preventDefault();\n    return;\n    if")],
    "another text": [("Thank you, ", "Goodbye, ")],
    "wrong number": [("found.length} of", "found.length + 1} of")],
    "no dialog": [("window.confirm(", "Boolean(")],
    "another question": [("Place the order for", "Cancel the order for")],
    "value not kept": [("form.elements.name.value", "''")],
    "field that loses its text": [(SUMS, f"{SUMS} form.elements.name.value = '';")],
    "error in a script": [(SUMS, f"{SUMS} setTimeout(() => {{ throw new Error('broken'); }});")],
    "error in the console": [(SUMS, f"{SUMS} console.error('broken');")],
    "failed request": [(SUMS, f"{SUMS} fetch('/missing');")],
    "new tab": [(SUMS, f"{SUMS} if (cart.size) open('about:blank');")],
    "another page": [("history.pushState(order, '', `#${order.number}`);", "history.pushState(order, '', '#failed');")],
    "another dialog": [(SUMS, f"{SUMS} if (cart.size) alert('Sold out');")],
}  # fmt: skip


def changed(changes: Changes) -> str:
    """Return the shop with some changes; each replaces something."""
    page = PAGE
    for old, new in changes:
        assert old in page, old
        page = page.replace(old, new)
    return page
