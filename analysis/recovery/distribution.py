"""How passes are spread over tasks: a mean of 50 % can be half of the tasks always, or all of them sometimes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

from analysis.recovery.records import Attempt


@dataclass(frozen=True)
class Spread:
    """Tasks by passes.

    Args:
        counts: (passes, valid trials) by task.
        histogram: tasks with 0, 1 ... n passes, of those with exactly n = ``trials`` valid trials.
        other: tasks with another number of valid trials, which the histogram leaves out.
        always, never, sometimes: tasks that pass in all, in none, in some of their valid trials.
        pass_hat, pass_at: by k: mean over tasks of the chance that k of its trials all pass, or any passes; k up to
            the smallest number of valid trials of a task.
    """

    counts: Mapping[str, tuple[int, int]]
    histogram: tuple[int, ...]
    other: int
    always: int
    never: int
    sometimes: int
    pass_hat: Mapping[int, float]
    pass_at: Mapping[int, float]


def pass_hat(passes: int, trials: int, k: int) -> float:
    """C(c, k)/C(n, k): the chance that k trials drawn without replacement all pass."""
    return comb(passes, k) / comb(trials, k)


def pass_at(passes: int, trials: int, k: int) -> float:
    """1 - C(n - c, k)/C(n, k): the chance that at least one of k passes."""
    return 1 - comb(trials - passes, k) / comb(trials, k)


def counts_of(trials: Sequence[Attempt]) -> dict[str, tuple[int, int]]:
    """(strict passes, valid trials) by task, sorted by task."""
    found: dict[str, tuple[int, int]] = {}
    for one in sorted(trials, key=lambda one: one.task):
        passes, count = found.get(one.task, (0, 0))
        found[one.task] = (passes + one.strict_pass, count + 1)
    return found


def spread(trials: Sequence[Attempt], wanted: int) -> Spread:
    """How the strict passes of an entry's valid trials are spread over the tasks that have any."""
    counts = counts_of(trials)
    full = [passes for passes, count in counts.values() if count == wanted]
    most = min((count for _, count in counts.values()), default=0)
    return Spread(
        counts=counts,
        histogram=tuple(full.count(passes) for passes in range(wanted + 1)),
        other=len(counts) - len(full),
        always=sum(passes == count for passes, count in counts.values()),
        never=sum(passes == 0 for passes, _ in counts.values()),
        sometimes=sum(0 < passes < count for passes, count in counts.values()),
        pass_hat={k: _mean([pass_hat(*pair, k) for pair in counts.values()]) for k in range(1, most + 1)},
        pass_at={k: _mean([pass_at(*pair, k) for pair in counts.values()]) for k in range(1, most + 1)},
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
