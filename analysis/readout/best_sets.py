"""The best-action set of a block: all actions whose summed score is the largest. Ties stay; nothing breaks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError

#: Sums of scores that differ by less are equal. Sums of 0 and 1 are whole numbers, so for those nothing is tolerated.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Rule:
    """What counts as best.

    Args:
        epsilon: actions whose mean score is at most this below the best one are in the set too, in units of the score.
        costs: penalty of an action, taken from its mean score, by its name; actions that are not named cost 0.
    """

    epsilon: float = 0.0
    costs: Mapping[str, float] = field(default_factory=dict)

    def penalties(self, actions: Sequence[str]) -> NDArray[np.float64]:
        """Penalties in the actions' order.

        Raises:
            InputError: a cost of an action that is not there.
        """
        for name in self.costs:
            if name not in actions:
                what = f"{name!r} is not an action of this panel"
                raise InputError(what, file="--costs", mend=f"name one of {', '.join(actions)}")
        return np.array([self.costs.get(name, 0.0) for name in actions])


EXACT = Rule()


def block_sums(scores: NDArray[np.float64], blocks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of scores (C, A, R) over blocks (n, R): shape (C, A, n)."""
    return scores @ blocks.T


def best_sets(
    sums: NDArray[np.float64], k: int, penalties: NDArray[np.float64] | float = 0.0, epsilon: float = 0.0
) -> NDArray[np.int64]:
    """Codes of best-action sets, bit a for action a.

    Args:
        sums: of ``k`` scores, shape (C, A, n).
        penalties: per action, shape (A,), in units of a mean.
        epsilon: likewise.

    Returns:
        shape (C, n), at least 1 each.
    """
    net = sums - k * np.reshape(penalties, (-1, 1))
    near = net >= net.max(axis=1, keepdims=True) - k * epsilon - TOLERANCE
    bits = np.int64(1) << np.arange(sums.shape[1], dtype=np.int64)
    return np.asarray((near * bits[:, None]).sum(axis=1), np.int64)


def members(actions: int) -> NDArray[np.bool_]:
    """Which actions are in each set, shape (2**actions, actions); row 0 is the empty set."""
    return (np.arange(2**actions)[:, None] >> np.arange(actions)) & 1 == 1


def named(code: int, actions: Sequence[str]) -> str:
    """A set for people: ``{retry, verify}``."""
    return "{" + ", ".join(name for place, name in enumerate(actions) if code >> place & 1) + "}"
