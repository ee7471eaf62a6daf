"""Plug-ins: what other packages offer under this project's entry-point groups."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from harness.errors import InputError

Group = Literal["agents", "sandboxes", "verifiers", "tasks", "monitors"]

#: Names that come with the project; no package may offer one of them.
BUILT_IN: Mapping[Group, tuple[str, ...]] = {
    "agents": ("scripted", "oracle", "nop", "default", "direct", "behaviour"),
    "sandboxes": ("bubblewrap", "docker", "none"),
    "verifiers": ("hidden-tests", "swebench", "planning", "recovery"),
    "tasks": (),
    "monitors": ("fixed-time", "format-errors", "unchanged", "repeated-command", "stated-confidence"),
}

#: What an object of a group must have; of ``agents``, ``sandboxes`` and ``monitors`` it is called itself.
_NEEDED: dict[Group, tuple[str, ...]] = {
    "agents": (), "sandboxes": (), "verifiers": ("prepare", "known", "qualify"), "tasks": ("ids", "load"),
    "monitors": (),
}  # fmt: skip


@lru_cache(maxsize=8)
def offered(group: Group) -> dict[str, EntryPoint]:
    """Entry points of ``restartlab.GROUP`` by name.

    Raises:
        InputError: two packages offer one name, or one offers a name that the project has.
    """
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=f"restartlab.{group}"):
        if point.name in BUILT_IN[group]:
            raise InputError(
                f"{point.value} is offered as {point.name!r}, which comes with the project",
                key=f"restartlab.{group}", mend="uninstall the package, or rename its entry point",
            )  # fmt: skip
        if point.name in found and found[point.name].value != point.value:
            raise InputError(
                f"{point.name!r} is offered twice ({found[point.name].value}, {point.value})",
                key=f"restartlab.{group}", mend="uninstall one of the two packages",
            )  # fmt: skip
        found[point.name] = point
    return found


def unknown(group: Group, name: str) -> str | None:
    """What to do about ``name`` when neither the project nor a package offers it; None when one does."""
    if name in BUILT_IN[group] or name in (points := offered(group)):
        return None
    known = [*BUILT_IN[group], *points]
    near = difflib.get_close_matches(name, known, n=1)
    asked = f"did you mean {near[0]!r}? " if near else ""
    return f"{asked}known: {', '.join(known) or 'none'}; others are entry points of restartlab.{group}"


@lru_cache(maxsize=32)
def load(group: Group, name: str) -> Any:
    """The object behind an entry point.

    Raises:
        InputError: nobody offers ``name``, its package cannot be imported, or the object is not what the group needs.
    """
    if mend := unknown(group, name):
        raise InputError(f"unknown kind {name!r}", key=f"restartlab.{group}", mend=mend)
    value = offered(group)[name].value
    try:
        found = offered(group)[name].load()
    except Exception as error:
        raise InputError(
            f"{name!r} cannot be imported from {value} ({error!r})", key=f"restartlab.{group}",
            mend="repair or reinstall the package that offers it",
        ) from error  # fmt: skip
    needed = _NEEDED[group]
    lacking = [word for word in needed if not callable(getattr(found, word, None))]
    if lacking or (needed and isinstance(found, type)) or not (needed or callable(found)):
        wanted = f"an object with {', '.join(f'{word}()' for word in needed)}" if needed else "a callable"
        raise InputError(
            f"{name!r} ({value}) is not {wanted}", key=f"restartlab.{group}",
            mend="see docs/extending.md, and mend the package that offers it",
        )  # fmt: skip
    return found


def release(group: Group, name: str) -> str | None:
    """Distribution and version of the package that offers ``name``; None for what comes with the project."""
    if name in BUILT_IN[group]:
        return None
    point = offered(group)[name]
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def releases(named: Iterable[tuple[Group, str]]) -> dict[str, str]:
    """Those of the names that other packages offer, as GROUP.NAME, each with its distribution and version."""
    found = {f"{group}.{name}": release(group, name) for group, name in named}
    return {name: what for name, what in sorted(found.items()) if what is not None}
