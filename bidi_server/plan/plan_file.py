"""Plans as JSON files."""

import json
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bidi_server.plan.model import Plan

_PLANS = TypeAdapter(Plan)


class PlanError(ValueError):
    """A file is not a plan, or can't be read. The message continues the name of the file."""


def read(file: Path) -> Plan:
    """Return the plan of a file. Raises `PlanError`."""
    try:
        text = file.read_bytes()
    except OSError as error:
        raise PlanError(f"can't be read: {error.strerror}") from None
    return parse(text)


def dump(plan: Plan) -> str:
    """Return a plan as JSON, without the values that are the default."""
    return f"{_PLANS.dump_json(plan, indent=2, exclude_defaults=True).decode()}\n"


def parse(text: str | bytes) -> Plan:
    """Return the plan of a JSON text. Raises `PlanError`."""
    try:
        plan = json.loads(text)
    except ValueError as error:
        raise PlanError(f"is not a plan: it is not JSON: {error}") from None
    try:
        return _PLANS.validate_python(plan)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise PlanError(f"is not a plan: {f'{where}: ' if where else ''}{first['msg']}") from None


def schema() -> dict[str, object]:
    """Return the JSON schema of plans (https://json-schema.org/draft/2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Plan of bidi-server",
        **_PLANS.json_schema(),
    }
