"""Fields inside a record's body: ``outcome.host``, and ``obligations[].detail`` for that of every element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

MISSING = object()


def get(body: Any, path: str) -> Any:
    """The value at a path without ``[]``; ``MISSING`` if there is none."""
    for name in path.split("."):
        if not isinstance(body, dict) or name not in body:
            return MISSING
        body = body[name]
    return body


def changed(body: Any, path: str, change: Callable[[str, Any], Any], at: str = "") -> Any:
    """A copy of ``body`` in which ``change(place, value)`` stands for each value at ``path``."""
    head, _, rest = path.partition(".")
    name, every = head.removesuffix("[]"), head.endswith("[]")
    if not isinstance(body, dict) or name not in body:
        return body
    place = f"{at}.{name}" if at else name

    def below(value: Any, here: str) -> Any:
        return changed(value, rest, change, here) if rest else change(here, value)

    value = body[name]
    if not every:
        return {**body, name: below(value, place)}
    if not isinstance(value, list):
        return body
    return {**body, name: [below(one, f"{place}[{number}]") for number, one in enumerate(value)]}


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, text) of every text and key in a value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, child in value.items():
            here = f"{path}.{key}" if path else str(key)
            yield here, str(key)
            yield from texts(child, here)
    elif isinstance(value, list | tuple):
        for number, child in enumerate(value):
            yield from texts(child, f"{path}[{number}]")
