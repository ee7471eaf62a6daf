"""What a decision rule would achieve, and what it costs in episodes: all judged on held-out repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.errors import InputError
from analysis.readout.best_sets import EXACT, Rule, best_sets, members
from analysis.readout.blocks import halves
from analysis.readout.measures import Measured
from analysis.readout.panel import Matrix, Panel


@dataclass(frozen=True)
class Policy:
    """A rule on a panel.

    Args:
        name: of the rule.
        success: evaluator score per checkpoint, shape (C,).
        episodes: drawn per decision: those that select, and the one that is acted on.
        cost_usd: US dollars per decision, mean over checkpoints; None if any cost is unknown.
        calls: model calls likewise.
    """

    name: str
    success: Matrix
    episodes: int
    cost_usd: float | None = None
    calls: float | None = None


def decision_episodes(actions: int, k: int) -> int:
    """Episodes of a decision by a block of ``k`` draws of each action, and the action itself: 3k + 1 of three."""
    return actions * k + 1


def evaluation_means(panel: Panel, design: str = "split", scores: Matrix | None = None) -> Matrix:
    """Mean score (the evaluator's if none is given) of every action on the repeats that judge, shape (C, A)."""
    every = panel.evaluate if scores is None else scores
    return every.mean(axis=2) if design == "all_pairs" else every[:, :, list(halves(panel.shape[2])[1])].mean(axis=2)


def policies(panel: Panel, measures: Sequence[Measured], design: str = "split") -> list[Policy]:
    """No intervention, each action always, an action at random, the best set of one block at each ``k``; and, where
    checkpoints carry keys, the best action of the key on other checkpoints.

    A checkpoint is a failed state, so no intervention is 0 by construction (left out where ``continue`` is an action).
    """
    means = evaluation_means(panel, design)
    count, actions = means.shape
    even = np.full((count, actions), 1 / actions)
    found = []
    if "continue" not in panel.actions:
        found.append(Policy("no intervention", np.zeros(count), 0, 0.0, 0.0))
    for place, name in enumerate(panel.actions):
        always = np.zeros((count, actions))
        always[:, place] = 1.0
        found.append(_policy(panel, f"always {name}", means[:, place], always, 0))
    found.append(_policy(panel, "uniform", means.mean(axis=1), even, 0))
    for one in measures:
        found.append(_policy(panel, f"selected, k={one.k}", one.column("held_out_success"), one.choice, one.k))
    if panel.keys is not None:
        choice = keyed_choice(panel)
        found.append(_policy(panel, "by key", (choice * means).sum(axis=1), choice, 0))
    return found


def _policy(panel: Panel, name: str, success: Matrix, choice: Matrix, k: int) -> Policy:
    actions = panel.shape[1]
    cost, calls = (
        None if values is None or np.isnan(values).any() else
        float((k * values.mean(axis=2).sum(axis=1) + (choice * values.mean(axis=2)).sum(axis=1)).mean())
        for values in (panel.cost_usd, panel.calls)
    )  # fmt: skip
    return Policy(name, success, decision_episodes(actions, k) if k else 1, cost, calls)


def best_of_key(
    keys: Sequence[str], scores: Matrix, wanted: Sequence[str], fallback: int | None = None
) -> Matrix:
    """What a policy takes that sees only a key: the best mean action of that key's training cells (ties uniformly).

    With a status code as key this is the status-only policy, with a trace key the trace-only one.

    Args:
        keys, scores: of training cells, scores of shape (cells, A).
        wanted: keys to decide for.
        fallback: action for a key without a training cell; None: the best action of all training cells.

    Returns:
        chance of each action, shape (wanted, A).
    """
    actions = scores.shape[1]
    known = np.asarray(list(keys), object)
    sets = members(actions).astype(np.float64)
    found = np.zeros((len(wanted), actions))
    for row, key in enumerate(wanted):
        mine = known == key
        if not mine.any() and fallback is not None:
            found[row, fallback] = 1.0
            continue
        means = scores[mine if mine.any() else slice(None)].mean(axis=0)
        (code,) = best_sets(means[None, :, None], 1)[0]
        found[row] = sets[code] / sets[code].sum()
    return found


def keyed_choice(panel: Panel) -> Matrix:
    """The choice of the best action of each checkpoint's key on the selection half of all other checkpoints."""
    if panel.keys is None:
        raise InputError("is missing", column="key", mend="give each checkpoint its observable key")
    scores = panel.select[:, :, list(halves(panel.shape[2])[0])].mean(axis=2)
    count = panel.shape[0]
    if count < 2:
        raise InputError("one checkpoint has no others to learn from", mend="give at least two checkpoints")
    rows = []
    for place, key in enumerate(panel.keys):
        others = [one for one in range(count) if one != place]
        rows.append(best_of_key([panel.keys[one] for one in others], scores[others], [key])[0])
    return np.array(rows)


def agreement_guided(panels: Sequence[Panel], k: int, rule: Rule = EXACT) -> Matrix:
    """Success per checkpoint when the runtime is chosen whose blocks agree most on the selection half.

    Per checkpoint: agreement of each runtime over its pairs of disjoint k-blocks inside the selection half; the most
    agreeing runtimes (ties uniformly) take the best set of their whole selection half, judged on the evaluation half.

    Raises:
        InputError: the panels are not of the same checkpoints and shape; two blocks do not fit into the half.
    """
    from analysis.readout.measures import measured

    _alike(panels)
    half = halves(panels[0].shape[2])[0]
    stable, success = [], []
    for panel in panels:
        inner = _repeats(panel, half)
        stable.append(measured(inner, k, "all_pairs", rule).column("agreement"))
        success.append(measured(panel, len(half), "split", rule).column("held_out_success"))
    best = np.array(stable) >= np.max(stable, axis=0) - 1e-9
    return np.asarray((best * np.array(success)).sum(axis=0) / best.sum(axis=0), np.float64)


def outcome_mean_direct(panels: Sequence[Panel]) -> Matrix:
    """Success per checkpoint of the runtime and action with the best mean on the selection half (ties uniformly)."""
    _alike(panels)
    half = list(halves(panels[0].shape[2])[0])
    means = np.concatenate([panel.select[:, :, half].mean(axis=2) for panel in panels], axis=1)
    judged = np.concatenate([evaluation_means(panel) for panel in panels], axis=1)
    best = means >= means.max(axis=1, keepdims=True) - 1e-9
    return np.asarray((best * judged).sum(axis=1) / best.sum(axis=1), np.float64)


def _alike(panels: Sequence[Panel]) -> None:
    first = panels[0]
    for panel in panels:
        if (panel.checkpoints, panel.actions, panel.shape) != (first.checkpoints, first.actions, first.shape):
            what = f"{panel.name} and {first.name} differ in checkpoints, actions or repeats"
            raise InputError(what, mend="choose between runtimes only on the same checkpoints")


def _repeats(panel: Panel, places: range) -> Panel:
    chosen = list(places)
    return Panel(
        panel.checkpoints, panel.actions, tuple(panel.repeats[place] for place in chosen),
        panel.select[:, :, chosen], panel.evaluate[:, :, chosen], runtime=panel.runtime,
    )  # fmt: skip
