"""What changed between a frozen stage and the stage as it is now, named key by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple


class Change(NamedTuple):
    """One key path whose value is not the frozen one."""

    key: str
    kind: Literal["changed", "added", "removed"]


def drift(frozen: Mapping[str, str], current: Mapping[str, str]) -> list[Change]:
    """Differences of two maps from key path to digest, sorted by key."""
    changes = []
    for key in sorted(frozen.keys() | current.keys()):
        if key not in frozen:
            changes.append(Change(key, "added"))
        elif key not in current:
            changes.append(Change(key, "removed"))
        elif frozen[key] != current[key]:
            changes.append(Change(key, "changed"))
    return changes


def describe(changes: Sequence[Change], most: int = 8) -> str:
    """One line: ``protocol.horizon (changed), tasks.sympy-1.hidden (changed), and 3 more``."""
    if not changes:
        # Digests differ, parts do not: FROZEN.yaml was edited, or the rule of the digest is another.
        return "no single key (the entry in FROZEN.yaml does not fit its own parts)"
    shown = ", ".join(f"{change.key} ({change.kind})" for change in changes[:most])
    return shown + (f", and {len(changes) - most} more" if len(changes) > most else "")
