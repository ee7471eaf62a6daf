"""The form of an answer: a reply whose last line that begins with ``PLAN:`` lists the chosen items."""

from __future__ import annotations

from collections.abc import Collection

from tasks.planning.instance import Plan

MARK = "PLAN:"
NOTHING = "none"
#: What people, and models, set around a line to make it stand out.
_DRESS = " \t\r*`_>"


class MalformedAnswer(ValueError):
    """A reply that holds no plan; the text says why."""


def write_plan(plan: Collection[str]) -> str:
    """The line that states a plan."""
    return f"{MARK} {', '.join(sorted(plan)) or NOTHING}"


def read_plan(reply: str, names: Collection[str]) -> Plan:
    """The plan of a reply.

    Args:
        reply: all that the model said.
        names: the items there are; upper and lower case are the same.

    Raises:
        MalformedAnswer: no such line, an unknown item, an item twice, or no item and not ``none``.
    """
    lines = [line.strip(_DRESS) for line in reply.splitlines()]
    stated = [line[len(MARK) :].strip(_DRESS) for line in lines if line[: len(MARK)].upper() == MARK]
    if not stated:
        raise MalformedAnswer(f"no line begins with {MARK}")
    if stated[-1].rstrip(".").lower() == NOTHING:
        return frozenset()
    known = {name.upper(): name for name in names}
    chosen = []
    for word in stated[-1].rstrip(".").split(","):
        name = known.get(word.strip(_DRESS).upper())
        if name is None:
            raise MalformedAnswer(f"{word.strip()[:40]!r} is not an item")
        chosen.append(name)
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise MalformedAnswer(f"{twice} stands twice")
    return frozenset(chosen)
