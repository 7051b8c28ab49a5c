"""WebDriver BiDi for browsers whose driver only speaks classic WebDriver: WebKitGTK, WPE and Safari.

`transport.ClassicTransport` stands in place of the WebSocket of `bidi.connection`: it takes BiDi commands, sends
requests of classic WebDriver (https://www.w3.org/TR/webdriver2/) to the driver, and returns BiDi replies and events.
"""
