"""The decision audit: per task and decision call, is a clean restart better than continuing, or is it not known?

Section 4.3 of arXiv 2610.36544, for any of the certificates. The family, tasks times calls, is fixed before outcomes:
comparisons that no attempt reached alive count in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.arms import Arms, Counts, Design, Pool, one_pool, paired, pool_of, split
from analysis.cells import Cell, CellKey
from analysis.certificates import CONTINUE, RESTART, Method, Ruling, check, method
from analysis.errors import InputError

#: How the arms are taken from a pool of attempts, by the name of the choice.
SAMPLINGS: dict[str, Callable[[Pool, int, int], Arms]] = {"one-pool": one_pool, "split": split, "pairs": paired}

_BLOCK = 1024
NOT_REACHED, ABSTAIN = "not_reached", "abstain"


@dataclass(frozen=True)
class Comparison:
    """One task under one runtime and arm at one decision call.

    ``x`` of ``n`` fresh attempts pass within B - t calls, ``y`` of ``live`` live ones within B; ``q`` and ``p`` are
    their shares, None where a sample is empty, and stand beside an abstention as its estimate. The intervals are
    those that the method compares (clopper-pearson: they hold all rates of the family simultaneously with error alpha;
    weak-sign: one-sided bounds, as a two-sided family of error 2 alpha); None for methods that test the sign only.
    ``attainable_n``: the smallest n an arm at which the best possible outcome would be certified.
    """

    key: CellKey
    t: int
    n: int
    live: int
    x: int
    y: int
    q: float | None
    p: float | None
    continue_interval: tuple[float, float] | None
    restart_interval: tuple[float, float] | None
    decision: str
    attainable_n: int


@dataclass(frozen=True)
class Audit:
    """All comparisons of an audit as arrays of shape (cells, times); iterate ``comparisons()`` for plain rows.

    ``live``, ``x``, ``y``, ``n`` count what the method used (``reached`` is about the whole pool); ``decision`` holds
    RESTART, CONTINUE or 0; the intervals have shape (cells, times, 2).
    """

    keys: tuple[CellKey, ...]
    budget: int
    times: tuple[int, ...]
    alpha: float
    family: int
    method: str
    sampling: str
    plan: str
    n: Counts
    live: Counts
    x: Counts
    y: Counts
    reached: NDArray[np.bool_]
    decision: NDArray[np.int8]
    restart_interval: NDArray[np.float64] | None
    continue_interval: NDArray[np.float64] | None
    attainable_n: int

    def count(self, decision: str) -> int:
        """How many comparisons have this decision: restart, continue, abstain or not_reached."""
        codes = {"restart": self.decision == RESTART, "continue": self.decision == CONTINUE}
        resolved = self.decision != 0
        codes |= {NOT_REACHED: ~self.reached, ABSTAIN: self.reached & ~resolved}
        return int(codes[decision].sum())

    def comparisons(self) -> Iterator[Comparison]:
        """Rows, cell after cell and time after time; as plain numbers a few cells at a time, for tables of any size."""
        names = np.where(self.reached, ABSTAIN, NOT_REACHED).astype(object)
        names[self.decision == RESTART], names[self.decision == CONTINUE] = "restart", "continue"
        for begin in range(0, len(self.keys), _BLOCK):
            block = slice(begin, begin + _BLOCK)
            yield from self._block(self.keys[block], block, names)

    def _block(self, keys: Sequence[CellKey], block: slice, names: NDArray[Any]) -> Iterator[Comparison]:
        columns = [array[block].tolist() for array in (self.n, self.live, self.x, self.y, names)]
        cont, fresh = (
            None if ends is None else ends[block].tolist() for ends in (self.continue_interval, self.restart_interval)
        )
        for i, key in enumerate(keys):
            for j, t in enumerate(self.times):
                n, live, x, y, name = (column[i][j] for column in columns)
                yield Comparison(
                    key=key,
                    t=t,
                    n=n,
                    live=live,
                    x=x,
                    y=y,
                    q=y / live if live else None,
                    p=x / n if n else None,
                    continue_interval=None if cont is None else (cont[i][j][0], cont[i][j][1]),
                    restart_interval=None if fresh is None else (fresh[i][j][0], fresh[i][j][1]),
                    decision=name,
                    attainable_n=self.attainable_n,
                )


def audit(
    cells: Sequence[Cell],
    *,
    budget: int,
    times: Sequence[int],
    alpha: float = 0.05,
    method_name: str = "clopper-pearson",
    sampling: str | None = None,
    family: int | None = None,
    optional_stopping: bool = False,
    plans: Sequence[Mapping[str, Any]] = (),
) -> Audit:
    """Audits every cell at every time.

    Args:
        cells: all cells of the family, also those in which nothing was ever live.
        budget: total calls B; every attempt must be observed through it.
        times: decision calls t, each at least 1 and below the budget.
        alpha: error of the whole family.
        method_name: a certificate.
        sampling: how the arms are taken from the attempts of a cell: ``one-pool`` (all are fresh, the live ones are
            continuations too), ``split`` (alternate attempts: independent arms) or ``pairs`` (disjoint pairs in order).
            Default: pairs for the methods that need pairs, else one-pool.
        family: the number of comparisons, if it was fixed larger than cells x times.
        optional_stopping: whether collection was stopped by looking at outcomes.
        plans: the analysis plans of the stages (budget, times, alpha, method). The audit is called ``protocol`` only
            when all of them ask for exactly this, else ``exploratory``.

    Raises:
        InputError: impossible arguments; a method that is not valid for the design; a horizon below the budget.
        NotIdentified: an attempt was censored before the budget.
    """
    used = method(method_name)
    family = _family(len(cells), times, family)
    _check_times(budget, times)
    keys = tuple(cell.key for cell in cells)
    if len(set(keys)) != len(keys):
        raise InputError("a cell is given twice, so its attempts would be counted twice")
    chosen = sampling or default_sampling(used)
    if chosen not in SAMPLINGS:
        mend = f"use one of {', '.join(SAMPLINGS)}"
        raise InputError(f"unknown sampling {chosen!r}", file="--sampling", mend=mend)
    check(used, _DESIGN[chosen], optional_stopping=optional_stopping)
    pool = pool_of(cells, budget)
    per_time = [SAMPLINGS[chosen](pool, t, budget) for t in times]
    rulings = [used.decide(arms, alpha, family) for arms in per_time]
    return Audit(
        keys=keys,
        budget=budget,
        times=tuple(times),
        alpha=alpha,
        family=family,
        method=used.NAME,
        sampling=chosen,
        plan=plan_kind(plans, budget=budget, times=times, alpha=alpha, method_name=method_name),
        n=_stack(arms.n for arms in per_time),
        live=_stack(arms.m for arms in per_time),
        x=_stack(arms.x for arms in per_time),
        y=_stack(arms.y for arms in per_time),
        reached=_stack(pool.per_cell(pool.live(t)) > 0 for t in times),
        decision=_stack(ruling.decision for ruling in rulings),
        restart_interval=_intervals(rulings, "restart_interval"),
        continue_interval=_intervals(rulings, "continue_interval"),
        attainable_n=used.attainable_n(alpha, family),
    )


_DESIGN = {"one-pool": Design.ONE_POOL, "split": Design.INDEPENDENT, "pairs": Design.PAIRS}


def default_sampling(used: Method) -> str:
    """Pairs for methods that know nothing else, the paper's one pool for all others (which may refuse it)."""
    needs_pairs = Design.PAIRS not in used.WHY_NOT and Design.INDEPENDENT in used.WHY_NOT
    return "pairs" if needs_pairs else "one-pool"


def plan_kind(
    plans: Sequence[Mapping[str, Any]], *, budget: int, times: Sequence[int], alpha: float, method_name: str
) -> str:
    """``protocol`` when there are plans and each asks for exactly these choices, else ``exploratory``."""
    asked = {"budget": budget, "times": tuple(times), "alpha": alpha, "method": method_name}

    def same(plan: Mapping[str, Any]) -> bool:
        return {**{name: plan.get(name) for name in asked}, "times": tuple(plan.get("times", ()))} == asked

    return "protocol" if plans and all(same(plan) for plan in plans) else "exploratory"


def _family(cells: int, times: Sequence[int], stated: int | None) -> int:
    least = cells * len(times)
    if least == 0:
        raise InputError("there is nothing to compare: no cells, or no times")
    if stated is not None and stated < least:
        raise InputError(
            f"a family of {stated} comparisons is smaller than the {least} that are made",
            file="--family",
            mend=f"state at least {least}; comparisons that are never reached count",
        )
    return stated or least


def _check_times(budget: int, times: Sequence[int]) -> None:
    if len(set(times)) != len(times):
        raise InputError(f"{list(times)} holds a call twice", file="--times", mend="write each call once")
    for t in times:
        if not 1 <= t < budget:
            what, mend = f"time {t} leaves no decision under budget {budget}", f"use calls from 1 to {budget - 1}"
            raise InputError(what, file="--times", mend=mend)


def _stack(columns: Iterable[NDArray[Any]]) -> NDArray[Any]:
    return np.stack(list(columns), axis=1)


def _intervals(rulings: Sequence[Ruling], name: str) -> NDArray[np.float64] | None:
    ends = [getattr(ruling, name) for ruling in rulings]
    if any(interval is None for interval in ends):
        return None
    return np.stack([np.stack(interval, axis=-1) for interval in ends], axis=1)
