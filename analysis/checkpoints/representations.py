"""What a representation of a state is worth where one decides between restart and continue (equations 12 and 13).

Paired checkpoint data give the advantage D = Q_R - Q_C of every state Z directly. A policy that sees only G = g(Z)
takes the better action on the average of its class. Values are gains over continuing from every state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.alarms import Estimate
from analysis.bootstrap import TAILS
from analysis.checkpoints.decisions import outcomes
from analysis.errors import InputError
from analysis.readout.panel import Panel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Representation:
    """One representation of the states of a runtime.

    ``classes``: how many values it takes. ``value``: V(G), plug-in, biased upward where classes are small. ``lost``:
    what it forgoes against knowing the state itself, the regret of its policy. ``held_out``: gain of the policy that
    is chosen on half of the draws and judged on the others, both ways; net of kappa, unlike the others.
    """

    stage: str
    runtime: str
    name: str
    classes: int
    checkpoints: int
    value: Estimate
    lost: Estimate
    held_out: Estimate


def representation_values(
    panel: Panel,
    restart: str,
    continue_: str,
    features: Mapping[str, Sequence[str]],
    *,
    kappa: float = 0.0,
    replicates: int = 2000,
    seed: int = 1,
) -> list[Representation]:
    """A row per representation: ``nothing`` (the better constant action), each of ``features``, ``state``.

    Args:
        features: values of a representation per checkpoint, in the panel's order.
        kappa: success that acquiring a representation costs; ``nothing`` is free.
        replicates, seed: of the bootstrap of tasks (of checkpoints where the tasks are not known).

    Raises:
        InputError: unknown actions, outcomes other than 0 and 1, a representation of another length, or one draw only.
    """
    fresh, cont = (outcomes(panel, name).astype(np.float64) for name in (restart, continue_))
    count = len(panel.checkpoints)
    advantage = fresh - cont
    clusters = np.unique(list(panel.tasks or panel.checkpoints), return_inverse=True)[1]
    draws = _Draws(clusters, replicates, seed)
    chosen = {"nothing": ("",) * count, **features, "state": panel.checkpoints}
    rows = []
    for name, values in chosen.items():
        if len(values) != count:
            raise InputError(f"{name} has {len(values)} values of {count} checkpoints")
        group = np.unique(list(values), return_inverse=True)[1]
        cost = 0.0 if name == "nothing" else kappa
        estimates = (draws.estimate(partial(one, advantage, group, cost)) for one in (_value, _lost, _held_out))
        rows.append(Representation(panel.stage, panel.runtime, name, int(group.max()) + 1, count, *estimates))
    return rows


def tertiles(numbers: Sequence[float]) -> list[str]:
    """Numbers in three classes of about equal size: low, middle, high."""
    ends = np.quantile(np.asarray(numbers, np.float64), (1 / 3, 2 / 3), method="inverted_cdf")
    return [("low", "middle", "high")[int(np.searchsorted(ends, number))] for number in numbers]


def _value(advantage: Floats, group: NDArray[np.int64], _: float, weights: Floats) -> Floats:
    """V(G) of each row of weights (replicates, checkpoints), which sum to 1."""
    return np.maximum((weights * advantage.mean(axis=1)) @ _members(group), 0).sum(axis=1)


def _lost(advantage: Floats, group: NDArray[np.int64], cost: float, weights: Floats) -> Floats:
    """V(Z) - V(G)."""
    return _value(advantage, np.arange(len(group)), cost, weights) - _value(advantage, group, cost, weights)


def _held_out(advantage: Floats, group: NDArray[np.int64], cost: float, weights: Floats) -> Floats:
    """Gain of the policy of one half of the draws on the other half, averaged over both ways; NaN with one draw."""
    halves = advantage[:, 0::2], advantage[:, 1::2]
    if advantage.shape[1] < 2:
        return np.full(len(weights), np.nan)
    members = _members(group)
    total = np.zeros(len(weights))
    for first, second in (halves, halves[::-1]):
        restarts = (weights * first.mean(axis=1)) @ members > 0
        total += (restarts * ((weights * second.mean(axis=1)) @ members)).sum(axis=1) / 2
    return total - cost


def _members(group: NDArray[np.int64]) -> Floats:
    return np.eye(int(group.max()) + 1)[group]


class _Draws:
    """Bootstrap of clusters: the same draws for every statistic."""

    def __init__(self, clusters: NDArray[np.int64], replicates: int, seed: int):
        self._clusters, count = clusters, int(clusters.max()) + 1
        rng = np.random.default_rng(seed)
        times = rng.multinomial(count, np.full(count, 1 / count), replicates) if count > 1 else np.zeros((0, 1))
        weights = times[:, clusters].astype(np.float64)
        self._weights = weights / weights.sum(axis=1, keepdims=True)

    def estimate(self, statistic: Callable[[Floats], Floats]) -> Estimate:
        """The statistic of all checkpoints, equal in weight, with the percentile interval of the resamples."""
        count = len(self._clusters)
        value = float(statistic(np.full((1, count), 1 / count))[0])
        if np.isnan(value):
            return Estimate(None, None, None)
        if not len(self._weights):
            return Estimate(value, None, None)
        low, high = np.quantile(statistic(self._weights), TAILS, method="inverted_cdf")
        return Estimate(value, float(low), float(high))
