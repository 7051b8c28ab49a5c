"""Support for the tests: browsers, servers, fakes and simulated machines."""
