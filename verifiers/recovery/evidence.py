"""Evidence (E): which observations came before the changes that they should inform."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tasks.recovery.contract import Marker, Seen
from verifiers.recovery.globs import matches

#: Characters of an output that are searched.
_OUTPUT = 200_000


class Evidence:
    """Follows an attempt, action by action."""

    def __init__(self, markers: Sequence[Marker]):
        self._markers = markers
        self._observed = dict.fromkeys((marker.name for marker in markers), False)
        self._changed = dict.fromkeys((marker.name for marker in markers), False)
        self._met = dict.fromkeys((marker.name for marker in markers), False)

    def action(self, command: str, output: str, changed: Iterable[str]) -> None:
        """Takes in one action: its text, its output, the paths that changed while it ran."""
        paths = list(changed)
        for marker in self._markers:
            name, seen = marker.name, any(_matches(one, command, output) for one in marker.seen)
            changes = any(matches(path, marker.before or marker.after or ()) for path in paths)
            if marker.before is not None:
                # What is seen by the action that changes was seen too late.
                if changes and not self._changed[name]:
                    self._met[name] = self._observed[name]
                    self._changed[name] = True
                self._observed[name] = self._observed[name] or seen
                if not self._changed[name]:
                    self._met[name] = self._observed[name]
            else:
                self._met[name] = self._met[name] or (self._changed[name] and seen)
                self._changed[name] = self._changed[name] or changes

    @property
    def met(self) -> dict[str, bool]:
        """Per marker."""
        return dict(self._met)

    @property
    def share(self) -> float:
        """E: the share of markers that are met."""
        return sum(self._met.values()) / len(self._met)


def _matches(seen: Seen, command: str, output: str) -> bool:
    wanted = [(seen.command, command), (seen.output, output[:_OUTPUT])]
    return all(pattern is None or re.search(pattern, text) for pattern, text in wanted) and any(
        pattern is not None for pattern, _ in wanted
    )
