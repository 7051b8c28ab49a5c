"""The connections that the proxy of ``--egress`` refuses."""

import logging
import re
from collections.abc import Generator
from contextlib import contextmanager

_LOG = "bidi_server.browser.network.entrance"

_REFUSED = re.compile(r"no connection to ([\w.-]+?)(?:\.localhost)?:")


@contextmanager
def recorded_refusals() -> Generator[set[str]]:
    """Record in this block the hosts of refused connections, without ``.localhost``."""
    refused = set[str]()

    class Refusals(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = record.getMessage()
            found = _REFUSED.search(message)
            refused.add(found[1] if found else message)

    logger, handler = logging.getLogger(_LOG), Refusals()
    level, propagates = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    # Attacks are not news for the user's log.
    logger.propagate = False
    try:
        yield refused
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagates
