"""What a report is about: the events, what is known of their stages, and the choices that the analysis makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analysis.bootstrap import REPLICATES, SEED
from analysis.certificates import METHODS, method
from analysis.errors import InputError
from analysis.monitors.study import MonitorStage
from analysis.table import EventTable

#: Rates of restart and continuation for which the n of 80 % power is stated beside abstentions.
EFFECT = (0.8, 0.2)


@dataclass(frozen=True)
class StageInfo:
    """What is known of a stage beyond its events; everything may be missing (an imported table has none of it).

    Args:
        protocol: the registered protocol: title, description, selection, analysis (the plan) ...
        planned: attempts that were planned, by runtime.
        frozen: day of freezing.
        interventions: every application of an arm's action in a counted attempt: task, runtime, arm, repeat, call,
            action, event (reason of the terminal event that it replaced, or None). None: nobody recorded them.
        tested: a monitor stage, by runtime.
        compositions: what became of the pairs of its failed patches, one mapping a patch_algebra stage.
    """

    stage: str
    protocol: Mapping[str, Any] = field(default_factory=dict)
    planned: Mapping[str, int] = field(default_factory=dict)
    frozen: str | None = None
    interventions: Sequence[Mapping[str, Any]] | None = None
    compositions: Sequence[Mapping[str, Any]] = ()
    tested: Mapping[str, MonitorStage] = field(default_factory=dict)


@dataclass(frozen=True)
class Choices:
    """What the user asked for in place of the plan; None leaves it to the plan."""

    budget: int | None = None
    cutoffs: Sequence[int] | None = None
    times: Sequence[int] | None = None
    alpha: float | None = None
    method: str | None = None
    replicates: int = REPLICATES
    seed: int = SEED


@dataclass(frozen=True)
class Study:
    """Input of a report.

    Args:
        part: whether some of the stages' runtimes were left out, so that the family is not the planned one.
        sources: where the events came from, by name: ``{"name": "attempts.csv", "sha256": ...}``.
        software: versions, by name.
    """

    table: EventTable
    stages: Sequence[StageInfo]
    choices: Choices = field(default_factory=Choices)
    part: bool = False
    sources: Sequence[Mapping[str, Any]] = ()
    software: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """The choices that are made for a stage: calls, but for ``alpha``, the error of the whole family.

    ``kind``: ``protocol`` if the stage's protocol asks for exactly these, else ``exploratory``.
    """

    budget: int
    cutoffs: tuple[int, ...]
    times: tuple[int, ...]
    alpha: float
    method: str
    kind: str
    stated: Mapping[str, Any]

    @property
    def audit_key(self) -> tuple[Any, ...]:
        """Stages that agree in this make up one family of comparisons."""
        return self.budget, self.times, self.alpha, self.method


def plan_of(study: Study, info: StageInfo) -> Plan:
    """The plan of a stage: the user's choices, else the protocol's, else what suits its horizon.

    Raises:
        InputError: a choice is impossible.
    """
    stated = dict(info.protocol.get("analysis") or {})
    chosen = study.choices
    mine = study.table.select(study.table.mask(stage=[info.stage]))
    budget = chosen.budget or stated.get("budget") or int(mine["horizon"].min())
    states = info.protocol.get("kind") == "checkpoint"  # its decisions are its checkpoints, and it has no schedules
    cutoffs = chosen.cutoffs or stated.get("cutoffs") or ([] if states else default_cutoffs(budget))
    times = chosen.times or stated.get("times") or ([] if states else default_times(budget))
    used: dict[str, Any] = {
        "budget": int(budget),
        "cutoffs": tuple(sorted({min(int(c), int(budget)) for c in cutoffs})),
        "times": tuple(int(t) for t in times),
        "alpha": stated.get("alpha", 0.05) if chosen.alpha is None else chosen.alpha,
        "method": chosen.method or stated.get("method") or "clopper-pearson",
    }
    _check(used)
    asked = {name: list(value) if isinstance(value, tuple) else value for name, value in used.items()}
    same = all((stated.get(name) or []) == value if value == [] else stated.get(name) == value
               for name, value in asked.items())  # fmt: skip
    return Plan(**used, kind="protocol" if same and not study.part else "exploratory", stated=stated)


def default_cutoffs(budget: int) -> list[int]:
    """About 14 cutoffs up to the budget: 4, 6 ... 30 for 30 calls."""
    step = max(1, budget // 15)
    return sorted({*range(2 * step, budget + 1, step), budget})


def default_times(budget: int) -> list[int]:
    """Six decision calls: 4, 8 ... 24 for 30 calls."""
    return sorted({t for k in range(1, 7) if 1 <= (t := budget * 2 * k // 15) < budget})


def _check(used: Mapping[str, Any]) -> None:
    if used["method"] not in METHODS:
        method(used["method"])  # raises
    if not 0 < used["alpha"] < 1:
        raise InputError(f"{used['alpha']} is not between 0 and 1", file="--alpha", mend="write for example 0.05")
    wrong = [t for t in used["times"] if not 1 <= t < used["budget"]]
    if wrong:
        raise InputError(
            f"{wrong[0]} leaves no decision under budget {used['budget']}", file="--times",
            mend=f"write calls from 1 to {used['budget'] - 1}",
        )  # fmt: skip


def rows_of(table: EventTable, **wanted: str) -> EventTable:
    """The rows whose text columns have exactly these values; an empty text stands for an empty cell."""
    keep = np.ones(len(table), np.bool_)
    for name, text in wanted.items():
        codes = [*table.values[name], ""]
        keep &= table[name] == (codes.index(text) if text else -1)
    return table.select(keep)
