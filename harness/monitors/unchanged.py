"""No workspace change: the agent goes on, and its workspace stays as it is."""

from __future__ import annotations

from dataclasses import dataclass

from harness.monitors.prefix import UNTOUCHED, Prefix


@dataclass(frozen=True)
class Unchanged:
    """Score: calls since the content of the workspace last changed; at threshold k, none in k calls.

    ``.git`` and bytecode are no content: a ``git status`` changes nothing. A change that is undone within one call is
    one all the same. A call that ran nothing, a malformed one for example, counts as one without a change.
    """

    def score(self, prefix: Prefix) -> float:
        state, since = UNTOUCHED, 0
        for call in prefix.calls:
            since += 1
            for action in call.actions:
                if action.state is not None and action.state != state:
                    state, since = action.state, 0
        return float(since)
