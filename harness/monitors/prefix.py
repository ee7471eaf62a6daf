"""What a monitor may see: an attempt up to a call, as plain data. No verdict is in it, and nothing of later calls."""

from __future__ import annotations

from dataclasses import dataclass

from harness.workspace.layer import Layer

#: State of a workspace in which nothing was changed.
UNTOUCHED = Layer({}).verdict_key


@dataclass(frozen=True)
class SeenAction:
    """One action of a call."""

    command: str
    returncode: int | None
    output: str
    """As the agent saw it, or the raw output where the record has no more."""
    seconds: float
    state: str | None
    """Names the content of the workspace after it, ``.git`` and bytecode left out; equal content, equal name."""


@dataclass(frozen=True)
class SeenCall:
    """One model call of the agent."""

    number: int
    """In the attempt's budget: calls that a monitor makes have numbers of their own."""
    parsed: bool
    """False: the reply was refused as malformed."""
    text: str
    """What the model said beside its tool calls."""
    cost_usd: float | None
    """US dollars; None when unknown."""
    actions: tuple[SeenAction, ...] = ()
    statement: str | None = None
    """The model's answer to the monitor's question after this call; None: it was not asked."""
    charged: bool = False
    """Whether that question was a call of the attempt's budget, with a number of its own."""


@dataclass(frozen=True)
class Prefix:
    """An attempt, since an arm last acted on it, up to and with its last call, all of whose actions have ended."""

    task: str
    horizon: int
    """Calls of the whole attempt."""
    calls: tuple[SeenCall, ...] = ()
    messages: tuple[str, ...] = ()
    """What the conversation began with: system prompt and issue."""

    @property
    def t(self) -> int:
        """Number of the last call, 0 before the first."""
        return self.calls[-1].number if self.calls else 0
