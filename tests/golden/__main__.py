"""Write the golden files anew: ``python -m tests.golden``. Read the diff before you commit it."""

import json

from tests.tools.test_catalogue import GOLDEN, catalogue

GOLDEN.write_text(json.dumps(catalogue(), indent=1, ensure_ascii=False) + "\n", "utf-8")
