"""The state of input devices between actions."""

from __future__ import annotations

from drivers.json_values import Json, items


class InputState:
    """The keys and buttons that are down, and how far wheels have been turned.

    The driver of WebKitGTK 2.50.6 takes the distance of a wheel as an absolute one: after 150 pixels, 50 scroll 100
    back. When it is asked to release all input, it turns wheels back and leaves buttons down.
    """

    def __init__(self) -> None:
        self._turned: dict[object, tuple[float, float]] = {}
        self._down: list[tuple[Json, Json]] = []
        """Sources with the actions that release a key or a button."""

    def next(self, source: Json, action: Json) -> Json:
        """Return an action as the driver understands it, and count it as performed."""
        match action.get("type"):
            case "scroll":
                before = self._turned.get(source.get("id"), (0.0, 0.0))
                left = before[0] + float(str(action.get("deltaX", 0)))
                top = before[1] + float(str(action.get("deltaY", 0)))
                self._turned[source.get("id")] = left, top
                return {**action, "deltaX": round(left), "deltaY": round(top)}
            case "pointerDown":
                self._down.append((source, {"type": "pointerUp", "button": action.get("button", 0)}))
            case "keyDown":
                self._down.append((source, {"type": "keyUp", "value": action.get("value")}))
            case "pointerUp" | "keyUp":
                self._down = [each for each in self._down if (each[0].get("id"), each[1]) != (source.get("id"), action)]
            case _:
                pass
        return action

    def releases(self) -> list[Json]:
        """Return the actions that release everything, the last one that went down first, and count it as released."""
        down, self._down = self._down, []
        sources: dict[object, Json] = {}
        for source, action in reversed(down):
            made = sources.setdefault(source.get("id"), {**source, "actions": list[Json]()})
            made["actions"] = [*items(made["actions"]), action]
        return list(sources.values())
