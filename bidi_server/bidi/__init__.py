"""WebDriver BiDi, https://w3c.github.io/webdriver-bidi/: typed commands and events, a sans-IO engine, a connection.

One module for each module of the specification. Nothing here depends on what the product does with a browser.
"""
