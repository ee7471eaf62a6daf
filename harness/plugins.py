"""Plug-ins: what other packages offer under this project's entry-point groups."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from harness.errors import InputError

Group = Literal["agents", "sandboxes", "verifiers", "tasks"]


@lru_cache(maxsize=8)
def offered(group: Group) -> dict[str, EntryPoint]:
    """Entry points of ``restartlab.GROUP`` by name.

    Raises:
        InputError: two packages offer one name.
    """
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=f"restartlab.{group}"):
        if point.name in found and found[point.name].value != point.value:
            raise InputError(
                f"{point.name!r} is offered twice ({found[point.name].value}, {point.value})",
                key=f"restartlab.{group}", mend="uninstall one of the two packages",
            )  # fmt: skip
        found[point.name] = point
    return found


@lru_cache(maxsize=32)
def load(group: Group, name: str, built_in: Iterable[str] = ()) -> Any:
    """The object behind an entry point.

    Args:
        built_in: names that need no plug-in, for the message.

    Raises:
        InputError: nobody offers ``name``, or its package cannot be imported.
    """
    points = offered(group)
    if name not in points:
        raise InputError(
            f"unknown kind {name!r}", key=f"restartlab.{group}", mend=f"known: {', '.join([*built_in, *points])}"
        )
    try:
        return points[name].load()
    except Exception as error:
        raise InputError(
            f"{name!r} cannot be imported from {points[name].value} ({error!r})", key=f"restartlab.{group}",
            mend="repair or reinstall the package that offers it",
        ) from error  # fmt: skip
