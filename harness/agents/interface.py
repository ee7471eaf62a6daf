"""What an agent of another package is, and what it gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Agent(Protocol):
    """An agent at work on one task; mini-swe-agent's agents are such."""

    def run(self, task: str) -> Mapping[str, Any] | None:
        """Works on the issue text ``task`` until it is content or an exception of model or environment ends it."""


class AgentMaker(Protocol):
    """Makes an agent; entry points of ``restartlab.agents`` are such callables, a class for one."""

    def __call__(self, model: Any, env: Any, **config: Any) -> Agent:
        """An agent for one try.

        Args:
            model: mini-swe-agent's ``Model``. Each ``query`` is a call of the attempt: counted, bounded, recorded. Of a
                runtime without a model it is a turn: an empty reply without cost.
            env: mini-swe-agent's ``Environment``. Each ``execute`` is an action of the call before it; the workspace is
                judged after it.
            config: settings as mini-swe-agent's ``DefaultAgent`` takes them (prompt templates and the format-error
                rule of the stage; ``step_limit`` and ``cost_limit`` are 0, none), and ``seed``, the attempt's.
        """
