"""Write the golden files anew: ``python -m tests.golden``. Read the diff before you commit it."""

from typing import get_args

from bidi_server.config import Toolset
from tests.tools.test_catalogue import GOLDEN, written

for toolset in get_args(Toolset):
    (GOLDEN / f"{toolset}.json").write_text(written(toolset), "utf-8")
