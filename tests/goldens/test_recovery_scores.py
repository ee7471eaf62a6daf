"""Every value of goldens/data/recovery.json, and those that the method's description prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.errors import InputError
from analysis.intervals import wilson
from analysis.recovery.composite import aggregate, composite, crs
from analysis.recovery.difficulty import band, chance_above
from analysis.recovery.distribution import pass_at, pass_hat, spread
from analysis.recovery.efficiency import descending
from analysis.recovery.quality import WEIGHTS, quality
from analysis.recovery.records import Attempt, Limits, Panel, PanelTask
from analysis.recovery.rounding import round2

GOLDENS: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "recovery.json").read_text(encoding="utf-8"))
WORKED = dict(zip("FSDIEM", (0.9, 1, 0.8, 1, 0.7, 0.8), strict=True))
FLAG_SETS = ((), ("restart_failure",), ("restart_failure", "major_safety"),
             ("restart_failure", "major_safety", "catastrophic"))  # fmt: skip


def as_golden(shares: dict[str, float], flags: tuple[str, ...] = ()) -> dict[str, Any]:
    found = quality(shares, flags)
    return {"base": found.base, "caps": list(found.caps), "binding": found.binding, "final": found.final}


def rest_of_one(**changes: float) -> dict[str, float]:
    return {**dict.fromkeys("FSDIEM", 1.0), **changes}


def test_the_worked_example_under_each_cap() -> None:
    assert [as_golden(WORKED, flags) for flags in FLAG_SETS] == GOLDENS["worked"]


def test_the_cap_of_low_function_begins_below_one_half() -> None:
    assert as_golden(rest_of_one(F=0.49)) == GOLDENS["F .49"]
    assert as_golden(rest_of_one(F=0.50)) == GOLDENS["F .50"]
    assert as_golden(rest_of_one(F=0.4), ("restart_failure",)) == GOLDENS["F.4 restart"]


def test_a_cap_is_no_award() -> None:
    shares = dict(zip("FSDIEM", (0.3, 0.2, 0, 0.5, 0.1, 0.1), strict=True))
    assert as_golden(shares, ("restart_failure",)) == GOLDENS["cap not award"]


def test_the_composite_and_its_slopes() -> None:
    assert crs(80, 60, 40) == GOLDENS["CRS"]
    assert crs(90, 60, 40) - crs(80, 60, 40) == GOLDENS["CRS+10Q"]
    assert crs(80, 70, 40) - crs(80, 60, 40) == GOLDENS["CRS+10R"]
    assert crs(80, 60, 50) - crs(80, 60, 40) == GOLDENS["CRS+10eta"]
    assert sum(map(round2, WEIGHTS.values())) == pytest.approx(GOLDENS["weights sum"])


def test_the_descending_line() -> None:
    assert [descending(x, 10, 20) for x in (5, 10, 15, 12.5, 20, 25)] == GOLDENS["g"]
    for maximum in (10, 5):
        with pytest.raises(InputError, match="not above the target"):
            descending(1, 10, maximum)


def test_bands() -> None:
    assert {rate: band(float(rate)) for rate in GOLDENS["bands"]} == GOLDENS["bands"]
    assert [band(100 * passes / 5) for passes in range(6)] == ["Hard", "Hard", "Medium", "Medium", "Easy", "Excluded"]


def test_what_the_best_of_three_does_to_hard() -> None:
    golden = GOLDENS["max-of-systems calibration: P(max of 3 systems with p=.15 >1/5)"]
    assert chance_above(1, 5, 0.15, 3) == pytest.approx(golden, abs=1e-15)
    assert round(golden, 4) == 0.4174


def test_pass_hat_and_pass_at() -> None:
    ks = range(1, 6)
    assert [pass_hat(3, 5, k) for k in ks] == pytest.approx(GOLDENS["pass^k c=3 n=5"], abs=1e-15)
    assert [pass_at(3, 5, k) for k in ks] == pytest.approx(GOLDENS["pass@k c=3 n=5"], abs=1e-15)
    assert [pass_hat(4, 5, k) for k in ks] == pytest.approx(GOLDENS["pass^k c=4"], abs=1e-15)


def panel(tasks: int) -> Panel:
    limits = Limits(10, 20)
    return Panel("golden", None, None, 5, tuple(PanelTask(f"t{n}", "f", limits, limits) for n in range(tasks)))


def attempt(shares: dict[str, float], passes: bool, *flags: str, task: str = "t0", trial: int = 1, cost: float = 15,
            seconds: float = 15) -> Attempt:  # fmt: skip
    status = "strict_pass" if passes else "genuine_failure"
    return Attempt(task, "f", trial, "a", status, shares, frozenset(flags), passes, cost, seconds)


def test_an_aggregate() -> None:
    """Qualities 89, 60, 40, 100, 0; the first and fourth pass, with (cost, time) = (5, 15) and (15, 10)."""
    trials = [
        attempt(WORKED, True, trial=1, cost=5, seconds=15), attempt(WORKED, False, "restart_failure", trial=2),
        attempt(WORKED, False, "major_safety", trial=3), attempt(rest_of_one(), True, trial=4, cost=15, seconds=10),
        attempt(WORKED, False, "catastrophic", trial=5),
    ]  # fmt: skip
    found = composite(trials, panel(1))
    assert {"Q": found.quality, "R": found.reliability, "eta": found.efficiency, "CRS": found.crs} == GOLDENS["agg"]


def test_an_aggregate_without_a_pass_has_no_efficiency_to_speak_of() -> None:
    found = composite([attempt(rest_of_one(F=0.4), False, trial=trial) for trial in (1, 2)], panel(1))
    numbers = {"Q": found.quality, "R": found.reliability, "eta": found.efficiency, "CRS": found.crs}
    assert numbers == GOLDENS["agg none"]


def test_components_are_rounded_before_they_are_composed() -> None:
    """Rounding at the end alone would give 71.68."""
    quality_, reliability, _ = aggregate([71.74, 81.23, 90.58], 1, [])
    assert (quality_, reliability, round2(34.570041)) == (81.18, 33.33, 34.57)
    assert crs(quality_, reliability, round2(34.570041)) == 71.67


def test_halves_go_up_on_the_shortest_decimal_text() -> None:
    """The inputs are ours: the file gives the results alone. In binary, 72.345 and 2.675 lie below the half."""
    assert [round2(x) for x in (72.345, 72.3449, 72.344999999, 2.675, 2.6749)] == GOLDENS["round2"]


def test_equal_reliability_of_unequal_profiles() -> None:
    def passes(counts: list[int]) -> list[Attempt]:
        return [attempt(rest_of_one(), trial <= count, task=f"t{n:02}", trial=trial)
                for n, count in enumerate(counts) for trial in range(1, 6)]  # fmt: skip

    half, mid = spread(passes([5] * 10 + [0] * 10), 5), spread(passes([2, 3] * 10), 5)
    golden = GOLDENS["profiles"]
    assert (half.always, half.never, half.pass_hat[5]) == tuple(golden["half"][k] for k in ("all5", "none", "pass5"))
    assert (mid.always, mid.never, mid.pass_hat[5]) == tuple(golden["mid"][k] for k in ("all5", "none", "pass5"))
    assert mid.pass_hat[2] == pytest.approx(golden["mid"]["pass2"], abs=1e-15)
    assert half.pass_hat[2] == 0.5 and half.pass_hat[1] == pytest.approx(mid.pass_hat[1]) == golden["half"]["R"] / 100
    assert half.histogram == (10, 0, 0, 0, 0, 10) and mid.histogram == (0, 0, 10, 10, 0, 0)


def test_wilson_of_five_trials() -> None:
    printed = [(0, 0.4345), (0.0362, 0.6245), (0.1176, 0.7693), (0.2307, 0.8824), (0.3755, 0.9638), (0.5655, 1)]
    for passes, ends in enumerate(printed):
        low, high = wilson(passes, 5, 0.05)
        assert (round(float(low), 4), round(float(high), 4)) == ends
        assert str(float(low)) != "-0.0"


def test_all_goldens_are_used() -> None:
    assert set(GOLDENS) == {
        "worked", "F .49", "F .50", "F.4 restart", "cap not award", "CRS", "CRS+10Q", "CRS+10eta", "CRS+10R", "g",
        "weights sum", "bands", "pass^k c=3 n=5", "pass@k c=3 n=5", "pass^k c=4", "agg", "agg none", "profiles",
        "max-of-systems calibration: P(max of 3 systems with p=.15 >1/5)", "round2",
    }  # fmt: skip
