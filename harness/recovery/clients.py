"""Which model client answers in the episode after an action."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from harness.models.plan import episode_seed
from harness.protocol.recovery import RecoveryAction


@dataclass
class Clients:
    """The clients of one attempt, one after the other.

    Args:
        make: makes one: ``models.factory.make_model`` with all but ``seed``, ``after`` and ``first`` given.
        seed: of the attempt.
        present: the client of the first episode.
        changing: actions, by name, after which a scripted model's law is another one.
    """

    make: Callable[..., Any]
    seed: int
    present: Any
    changing: Collection[str] = ()

    def __call__(self, number: int, action: RecoveryAction, call: int) -> Any:
        """The client of episode ``number`` (2, 3 ...), which follows ``action`` after ``call`` calls.

        A new conversation has a fresh client with a seed of its own, and its time begins anew. A conversation that
        goes on keeps its client; a scripted model's law may change there, its draws and its time go on.
        """
        if action.context != "keep":
            self.present = self.make(seed=episode_seed(self.seed, number), after=action.name)
        elif action.name in self.changing:
            self.present = self.make(seed=self.seed, after=action.name, first=call + 1)
        return self.present
