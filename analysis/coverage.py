"""Do the certificates keep their promise? Simulation with known truth: how often a family holds any wrong claim.

Attempts are drawn from completion laws whose p and q are computed exactly, and go through the audit's own counting and
certificates. A claim ``p > q`` is wrong when p <= q, a claim ``p >= q`` when p < q. Each method takes its arms from the
attempts as it needs them: one pool, alternate attempts (independent arms), or disjoint pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.arms import Design, Pool
from analysis.audit import SAMPLINGS, default_sampling
from analysis.certificates import method
from analysis.errors import InputError
from analysis.intervals import clopper_pearson_lower, clopper_pearson_upper


@dataclass(frozen=True)
class Law:
    """Chances that an attempt which is live before a call passes, or ends terminally, at it. Shape (budget,) each."""

    name: str
    passes: NDArray[np.float64]
    ends: NDArray[np.float64]

    def events(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Probability of passing and of ending at each call, unconditionally."""
        live = np.concatenate(([1.0], np.cumprod((1 - self.passes) * (1 - self.ends))[:-1]))
        return live * self.passes, live * (1 - self.passes) * self.ends

    def rates(self, t: int) -> tuple[float, float]:
        """p and q at call t under the budget of the law."""
        passed, ended = self.events()
        budget = len(passed)
        live = 1.0 - passed[:t].sum() - ended[:t].sum()
        return float(passed[: budget - t].sum()), float(passed[t:].sum() / live) if live > 0 else 0.0


def laws(budget: int) -> dict[str, Law]:
    """Laws that are hard for the certificates, and two for their power.

    ``tied``: constant hazard, so p = q at every call and any strict claim is wrong. ``tied-terminal``: the same with
    protocol terminals. ``slowing`` and ``quickening``: nearly tied, restart or continuation slightly better. ``early``:
    most pass at once or never. ``late``: nothing passes before the second half.
    """
    u = np.arange(1, budget + 1)
    flat, none = np.full(budget, 1 - 0.5 ** (2 / budget)), np.zeros(budget)
    made = (
        Law("tied", flat, none),
        Law("tied-terminal", flat, np.full(budget, 0.01)),
        Law("slowing", flat * np.where(u <= budget // 2, 1.0, 0.97), none),
        Law("quickening", flat * np.where(u <= budget // 2, 0.97, 1.0), none),
        Law("early", np.where(u <= max(1, budget // 10), 0.5, 0.002), none),
        Law("late", np.where(u > budget // 2, 0.2, 0.0), none),
    )
    return {law.name: law for law in made}


@dataclass(frozen=True)
class Coverage:
    """What a simulation found for one method under one law.

    ``errors`` of ``replicates`` families hold a wrong claim; ``low`` and ``high`` bound that rate (exact, 97.5 % each
    way). ``right``: share of all comparisons that are certified in the true direction.
    """

    method: str
    sampling: str
    law: str
    attempts: int
    tasks: int
    family: int
    alpha: float
    replicates: int
    errors: int
    rate: float
    low: float
    high: float
    right: float

    @property
    def broken(self) -> bool:
        """Whether the simulation is evidence that the method errs more often than alpha."""
        return self.low > self.alpha


def simulate(
    method_name: str,
    law: Law,
    *,
    attempts: int,
    tasks: int,
    times: Sequence[int],
    alpha: float = 0.05,
    replicates: int = 2000,
    seed: int = 1,
) -> Coverage:
    """Audits ``replicates`` families of tasks x times, every task with its own draws from the law.

    Raises:
        InputError: times outside the budget of the law, or empty sizes.
    """
    budget = len(law.passes)
    if min(attempts, tasks, replicates) < 1 or not times:
        raise InputError("a simulation needs attempts, tasks, times and replicates, at least one of each")
    if not all(1 <= t < budget for t in times):
        what = f"{list(times)} leave no decision under budget {budget}"
        raise InputError(what, file="--times", mend=f"use calls from 1 to {budget - 1}")
    used = method(method_name)
    sampling = default_sampling(used) if Design.ONE_POOL not in used.WHY_NOT else _other_sampling(method_name)
    family = tasks * len(times)
    rng = np.random.default_rng(seed)
    wrong, right = 0, 0
    step = max(1, 2_000_000 // (attempts * tasks))
    for begin in range(0, replicates, step):
        count = min(step, replicates - begin)
        pool = _draw(law, attempts, count * tasks, rng)
        any_wrong = np.zeros(count, dtype=np.bool_)
        for t in times:
            decision = used.decide(SAMPLINGS[sampling](pool, t, budget), alpha, family).decision
            p, q = law.rates(t)
            tie = abs(p - q) < 1e-12
            true = 0 if tie else (1 if p > q else -1)
            bad = (decision != 0) & (decision != true)
            if tie and "=" in used.CLAIM:
                bad[:] = False
            any_wrong |= bad.reshape(count, tasks).any(axis=1)
            right += int(((decision == true) & (decision != 0)).sum())
        wrong += int(any_wrong.sum())
    return Coverage(
        method=method_name,
        sampling=sampling,
        law=law.name,
        attempts=attempts,
        tasks=tasks,
        family=family,
        alpha=alpha,
        replicates=replicates,
        errors=wrong,
        rate=wrong / replicates,
        low=float(clopper_pearson_lower(wrong, replicates, 0.025)),
        high=float(clopper_pearson_upper(wrong, replicates, 0.025)),
        right=right / (replicates * family),
    )


def _other_sampling(name: str) -> str:
    return "split" if Design.INDEPENDENT not in method(name).WHY_NOT else "pairs"


def _draw(law: Law, attempts: int, cells: int, rng: np.random.Generator) -> Pool:
    passed, ended = law.events()
    budget = len(passed)
    steps = np.cumsum(np.concatenate((passed, ended)))
    drawn = np.searchsorted(steps, rng.random(attempts * cells), side="right")
    verified = drawn < budget
    call = np.where(drawn < 2 * budget, drawn % budget + 1, budget + 1)  # beyond the budget: live through it
    return Pool(
        size=np.full(cells, attempts, dtype=np.int64),
        cell=np.repeat(np.arange(cells), attempts),
        position=np.tile(np.arange(attempts), cells),
        call=call.astype(np.int64),
        verified=verified,
    )
