"""Takes values out of JSON data of unknown quality."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


def mapping(value: Any) -> Mapping[str, Any]:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: Any) -> list[Any]:
    """``value`` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def amount(value: Any) -> float | None:
    """A finite number of 0 or more, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return float(value)


def whole(value: Any) -> int | None:
    """A whole number, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text_of(content: Any) -> str:
    """The text of a message: text itself, or the text parts of a list."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in items(content) if isinstance(part, Mapping))


def moment(value: Any) -> float | None:
    """Seconds since 1970 of a number of them or of an ISO 8601 text, else None."""
    if isinstance(value, str):
        try:
            stamp = datetime.fromisoformat(value)
        except ValueError:
            return None
        return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()
    return amount(value)
