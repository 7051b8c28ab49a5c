"""Care for the sessions on a Selenium Grid."""
