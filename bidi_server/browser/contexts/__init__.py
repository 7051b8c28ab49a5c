"""Browser contexts: cookies, storage, emulation, throttling, recorded traffic."""
