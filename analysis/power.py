"""How many attempts a study needs: chance that a comparison is certified, by exact enumeration.

Designs: ``independent`` (n fresh attempts against n continuations of live states; n pairs for the methods that pair),
``one-pool`` (n attempts, all fresh, the live ones among them the continuations; the methods that pair form their pairs
from it as the audit does) and ``split`` (n attempts, every other one fresh).
"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.arms import Design
from analysis.certificates import betting, check, method, paired_sign
from analysis.errors import InputError
from analysis.power_sums import Claims, independent, one_pool, paired, pmf

DESIGNS = ("independent", "one-pool", "split")
PAIRING = (paired_sign.NAME, betting.NAME)


@dataclass(frozen=True)
class Effect:
    """The truth against which power is computed.

    Args:
        p: success of a clean restart within the calls left.
        q: success of continuing a live attempt.
        live: share of attempts that are live at the decision.
        both: share of attempts that are live and pass within B - t calls, and so are successes of both arms of one pool
            (0 whenever t >= B/2). Default: the least that p and live allow.
    """

    p: float
    q: float
    live: float = 1.0
    both: float | None = None

    def __post_init__(self) -> None:
        for name in ("p", "q", "live"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{getattr(self, name)!r} is not a probability", file=f"--{name}", mend="use 0 to 1")

    @property
    def overlap(self) -> float:
        """``both``, checked against p, q and live.

        Raises:
            InputError: no completion law has these rates.
        """
        least, most = max(0.0, self.p - (1 - self.live)), min(self.p, self.live * self.q)
        chosen = least if self.both is None else self.both
        if not least - 1e-12 <= chosen <= most + 1e-12:
            raise InputError(
                f"p = {self.p:g}, q = {self.q:g}, live = {self.live:g} and both = {chosen:g} are not possible in one "
                f"pool: attempts that pass within B - t calls are either no longer live (at most {1 - self.live:g}) or "
                f"live ones that pass (at most {self.live * self.q:g})",
                mend="lower p or live, or use the independent design",
            )
        return min(max(chosen, least), most)


def power(
    method_name: str, effect: Effect, n: int, *, design: str = "independent", alpha: float = 0.05, family: int = 1
) -> Claims:
    """Chance of each claim about one comparison with n attempts (an arm, or in all; see the designs).

    Exact up to rounding.

    Raises:
        InputError: unknown or invalid design for the method; an impossible effect.
    """
    used = method(method_name)
    if design not in DESIGNS:
        raise InputError(f"unknown design {design!r}", file="--design", mend=f"use one of {', '.join(DESIGNS)}")
    if n < 0:
        raise InputError(f"{n} attempts", file="--n", mend="use 1 or more")
    p, q = effect.p, effect.q
    both = 0.0 if design == "independent" else effect.overlap
    if method_name in PAIRING:
        if design == "split":
            raise InputError(f"{method_name} forms its pairs from the whole pool", mend="use the one-pool design")
        return paired(method_name, p, q, None if design == "independent" else effect.live, n, alpha, family)
    check(used, Design.ONE_POOL if design == "one-pool" else Design.INDEPENDENT)
    if design == "independent":
        return independent(method_name, p, q, n, n, alpha, family)
    if design == "one-pool":
        return one_pool(method_name, p, q, effect.live, both, n, alpha, family)
    restart = cont = 0.0
    for m, share in enumerate(pmf(n // 2, effect.live).tolist()):
        if share > 1e-16:
            claims = independent(method_name, p, q, n - n // 2, m, alpha, family)
            restart, cont = restart + share * claims.restart, cont + share * claims.continue_
    return Claims(restart, cont)


def attempts_needed(
    method_name: str,
    effect: Effect,
    *,
    design: str = "independent",
    alpha: float = 0.05,
    family: int = 1,
    target: float = 0.8,
    most: int = 1000,
) -> int | None:
    """Smallest n with at least the target chance of certifying the true direction; None if none up to ``most`` has it.

    The power of an exact procedure is a sawtooth in n: n is the smallest of a stretch that begins after eight sizes in
    a row below the target.

    Raises:
        InputError: p = q, or as for ``power``.
    """
    if effect.p == effect.q:
        what = f"both {effect.p:g}: there is no direction to certify"
        raise InputError(what, file="--p, --q", mend="state an effect")
    if not 0 < target < 1:
        raise InputError(f"{target!r} is not between 0 and 1", file="--power", mend="use for example 0.8")
    side = 0 if effect.p > effect.q else 1

    def enough(n: int) -> bool:
        return power(method_name, effect, n, design=design, alpha=alpha, family=family)[side] >= target

    low = method(method_name).attainable_n(alpha, family) - 1  # certifies nothing, whatever the outcomes
    high = low + 1
    while not enough(min(high, most)):
        if high >= most:
            return None
        low, high = high, 2 * high
    high = min(high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    below = 0
    for n in range(high - 1, 0, -1):
        below, high = (0, n) if enough(n) else (below + 1, high)
        if below == 8:
            break
    return high
