"""What monitoring did to single attempts, as plain facts; how the arms of a monitor stage did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.cells import VERIFIED, Cell
from analysis.event_columns import MISSING
from analysis.monitors.document import Choices, estimate
from analysis.table import EventTable
from analysis.task_draws import Estimate, Floats

#: stage, runtime, arm, task, repeat
AttemptName = tuple[str, str, str, str, int]


class Acted(NamedTuple):
    """Monitoring of one attempt. ``alarm``: the agent's call after which it was acted on, None if it never was;
    ``asked``: questions; ``calls``: of these, charged to its budget; US dollars and seconds that monitoring took, None
    where a cost is unknown.
    """

    alarm: int | None
    asked: int
    calls: int
    cost_usd: float | None
    seconds: float


def success_document(arms: Mapping[str, Sequence[Cell]], choices: Choices) -> dict[str, Any]:
    """Success per arm within the budget, mean over tasks, and contrasts paired by task.

    Intervals are of the hierarchical bootstrap: tasks, then attempts within each drawn task, arms independently.
    """
    counts = {arm: _counts(cells, choices.budget) for arm, cells in arms.items()}
    names = list(counts)
    pairs = [(of, against) for i, of in enumerate(names) for against in names[:i]]
    return {
        "arms": [{"arm": arm, **_mean([found], choices)} for arm, found in counts.items()],
        "contrasts": [
            {"of": of, "against": against, **_mean([counts[of], counts[against]], choices)} for of, against in pairs
        ],
    }


def _counts(cells: Sequence[Cell], budget: int) -> dict[str, tuple[int, int]]:
    """Verified attempts and attempts by task."""
    return {
        cell.key.task: (int(((cell.event == VERIFIED) & (cell.call <= budget)).sum()), cell.n)
        for cell in cells if cell.n
    }  # fmt: skip


def _mean(groups: Sequence[Mapping[str, tuple[int, int]]], choices: Choices) -> dict[str, Any]:
    """The first group's success, less the second's if there is one, over the tasks of all groups."""
    tasks = [task for task in groups[0] if all(task in other for other in groups)]
    if not tasks:
        return {"tasks": 0, **estimate(Estimate(None, None, None))}
    rng = np.random.default_rng(choices.seed)
    drawn = rng.integers(len(tasks), size=(choices.replicates, len(tasks)))
    value, replicates = 0.0, np.zeros(choices.replicates)
    for sign, group in zip((1, -1), groups, strict=False):
        x, n = np.array([group[task] for task in tasks]).T
        value += sign * float((x / n).mean())
        # Attempts of a task with replacement: as many successes as a binomial with its own share has.
        replicates += sign * (rng.binomial(n[drawn], (x / n)[drawn]) / n[drawn]).mean(axis=1)
    low, high = np.percentile(replicates, [2.5, 97.5])
    return {"tasks": len(tasks), **estimate(Estimate(value, float(low), float(high)))}


def cost_rows(
    table: EventTable, arms: Sequence[str], tasks: Sequence[str], acted: Mapping[AttemptName, Acted]
) -> list[dict[str, Any]]:
    """Means per counted attempt of each arm on these tasks, monitoring apart from the agent's own; null: unknown.

    Args:
        table: of one stage and runtime.
    """
    found = []
    for arm in arms:
        rows = table.select(table.mask(arm=[arm], task=list(tasks)) & table["valid"]) if _held(table, arm) else None
        if rows is None or not len(rows):
            found.append({"arm": arm, "attempts": 0, **dict.fromkeys(_MEANS)})
            continue
        mine = [acted.get(name, _NOTHING) for name in attempt_names(rows)]
        cost, asked_usd = rows["cost_usd"], np.array([one.cost_usd for one in mine], dtype=np.float64)
        calls = np.array([one.calls for one in mine])
        found.append(
            {
                "arm": arm, "attempts": len(rows), "agent_calls": float((rows["calls"] - calls).mean()),
                "monitor_calls": float(calls.mean()), "questions": float(np.mean([one.asked for one in mine])),
                "agent_usd": _known(cost - asked_usd), "monitor_usd": _known(asked_usd),
                "wall_s": _known(rows["wall_s"]), "monitor_s": float(np.mean([one.seconds for one in mine])),
                "acted_on": float(np.mean([one.alarm is not None for one in mine])),
            }
        )  # fmt: skip
    return found


def attempt_names(rows: EventTable) -> list[AttemptName]:
    """The names of the attempts in a table's rows."""
    texts = {name: [*rows.values[name], ""] for name in ("stage", "runtime", "arm", "task")}
    columns = [[texts[name][code] for code in rows[name].tolist()] for name in texts]
    return [(*place, int(repeat)) for *place, repeat in zip(*columns, rows["repeat"], strict=True)]  # type: ignore[misc]


def _held(table: EventTable, arm: str) -> bool:
    return arm in table.values["arm"] and bool((table["arm"] != MISSING).any())


def _known(values: Floats) -> float | None:
    return None if np.isnan(values).any() else float(values.mean())


_NOTHING = Acted(None, 0, 0, 0.0, 0.0)
_MEANS = ("agent_calls", "monitor_calls", "questions", "agent_usd", "monitor_usd", "wall_s", "monitor_s", "acted_on")
