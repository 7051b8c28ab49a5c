"""The mapper from WebDriver BiDi to classic WebDriver."""
