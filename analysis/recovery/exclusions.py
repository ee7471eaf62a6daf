"""Attempts that are not trials: how many, why, who decided, and whether they favour one system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.intervals import fisher_two_sided
from analysis.recovery.records import Attempt, RetryPolicy

#: Error of the whole family of comparisons of exclusion rates.
ALPHA = 0.05


@dataclass(frozen=True)
class Rate:
    """Excluded attempts of all attempts."""

    name: str
    excluded: int
    attempts: int

    @property
    def rate(self) -> float:
        """As a fraction."""
        return self.excluded / self.attempts


@dataclass(frozen=True)
class Asymmetry:
    """A system's exclusions against those of all others, on one task or on all (None).

    Args:
        p: Fisher's exact two-sided p-value.
        flagged: whether it is below 5 % over the number of comparisons made.
    """

    task: str | None
    runtime: Rate
    others: Rate
    p: float
    flagged: bool


def rates(attempts: Sequence[Attempt], by: str) -> list[Rate]:
    """Exclusion rates by ``runtime`` or ``task``."""
    all_of = Counter(getattr(one, by) for one in attempts)
    lost = Counter(getattr(one, by) for one in attempts if not one.valid)
    return [Rate(name, lost[name], count) for name, count in sorted(all_of.items())]


def asymmetries(attempts: Sequence[Attempt], runtime: str) -> list[Asymmetry]:
    """Comparisons of a system's exclusion rate with that of the others, over all tasks and task by task.

    Only tasks that both tried and where somebody lost an attempt; none where the system is alone.
    """
    shared = sorted({one.task for one in attempts if one.runtime == runtime}
                    & {one.task for one in attempts if one.runtime != runtime})  # fmt: skip
    pairs: list[tuple[str | None, Rate, Rate]] = []
    for task in (None, *shared):
        here = [one for one in attempts if one.task in ([task] if task else shared)]
        mine, others = (_rate(name, [one for one in here if (one.runtime == runtime) is side])
                        for name, side in ((runtime, True), ("others", False)))  # fmt: skip
        if mine.excluded + others.excluded:
            pairs.append((task, mine, others))
    found = []
    for task, mine, others in pairs:
        p = fisher_two_sided(mine.excluded, mine.attempts, others.excluded, others.attempts)
        found.append(Asymmetry(task, mine, others, p, p < ALPHA / len(pairs)))
    return found


def _rate(name: str, attempts: Sequence[Attempt]) -> Rate:
    return Rate(name, sum(not one.valid for one in attempts), len(attempts))


def reasons(attempts: Sequence[Attempt]) -> Mapping[str, int]:
    """Excluded attempts by reason."""
    return dict(sorted(Counter(one.exclusion or "not said" for one in attempts if not one.valid).items()))


def retry_findings(attempts: Sequence[Attempt], policy: RetryPolicy | None) -> list[str]:
    """Where the exclusions of one system depart from its retry policy, or were decided by nobody."""
    found = [f"{one.name}: excluded ({one.exclusion}) without a reviewer" for one in attempts
             if not one.valid and not one.reviewer]  # fmt: skip
    if policy is None:
        return found + (["no retry policy was declared"] if any(not one.valid for one in attempts) else [])
    found += [f"{one.name}: {one.exclusion} is not among the declared reasons for a retry" for one in attempts
              if not one.valid and one.exclusion not in policy.exclusions]  # fmt: skip
    taken = Counter((one.task, one.trial) for one in attempts)
    return found + [
        f"{task} trial {trial}: {count} attempts, more than the {policy.max_attempts} after which the run pauses"
        for (task, trial), count in sorted(taken.items()) if count > policy.max_attempts
    ]  # fmt: skip
