"""Plans as JSON files."""

import json

from pydantic import TypeAdapter, ValidationError

from bidi_server.plan.model import Plan

_PLANS = TypeAdapter(Plan)


class PlanError(ValueError):
    """A file is not a plan. The message says why, in one line."""


def dump(plan: Plan) -> str:
    """Return a plan as JSON, without the values that are the default."""
    return f"{_PLANS.dump_json(plan, indent=2, exclude_defaults=True).decode()}\n"


def parse(text: str | bytes) -> Plan:
    """Return the plan of a JSON text. Raises `PlanError`."""
    try:
        plan = json.loads(text)
    except ValueError as error:
        raise PlanError(f"it is not JSON: {error}") from None
    try:
        return _PLANS.validate_python(plan)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise PlanError(f"{where}: {first['msg']}" if where else first["msg"]) from None


def schema() -> dict[str, object]:
    """Return the JSON schema of plans (https://json-schema.org/draft/2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Plan of bidi-server",
        **_PLANS.json_schema(),
    }
