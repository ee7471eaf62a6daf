"""Two hundred real attempts of the scripted agent: its events follow the law that it declares."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from tiny_lab import TinyLab, repair, stage_data
from trying import make_unit

from harness.attempt import Unit, run_try
from harness.engines.local import LocalEngine
from harness.models.law import REPEATED_FORMAT_ERROR, SUBMITTED, CompletionLaw, event_distribution
from harness.models.plan import plan, planned_event
from harness.plan import expand
from harness.protocol.schema import Protocol
from harness.store.records import TryResult

pytestmark = pytest.mark.needs_bwrap

ATTEMPTS, HORIZON = 200, 6
LAW = CompletionLaw.model_validate({
    "hazard": [{"from": 1, "value": 0.0}, {"from": 2, "value": 0.3}, {"from": 5, "value": 0.15}],
    "malformed": 0.25, "malformed_after_malformed": 0.55, "submit": 0.1, "destroy": 0.1,
})  # fmt: skip
#: Chance that a true law is rejected, over the choice of seeds (which the stage's name fixes).
ALPHA = 1e-4
#: The reasons of events, as the law and as attempts spell them.
REASONS = {SUBMITTED: "unverified_submission", REPEATED_FORMAT_ERROR: "repeated_format_error"}

End = tuple[str, int, str | None]


def stage(attempts: int) -> Protocol:
    runtime = {"agent": "scripted", "model": {"kind": "scripted", "law": LAW.model_dump(by_alias=True)}}
    data = stage_data(repeats=attempts, horizon=HORIZON, runtimes={"scripted": runtime}, sets={"all": ["scripted"]})
    return Protocol.model_validate({**data, "default_set": "all"})


def units(attempts: int, folder: Path) -> list[Unit]:
    protocol = stage(attempts)
    return [
        make_unit(protocol, folder / f"{attempt.repeat}.jsonl", attempt=attempt)
        for attempt in expand(protocol, "0" * 64, ["scripted"])
    ]


def kinds_of(unit: Unit) -> list[str]:
    return list(plan(unit.attempt.seed, LAW, 1.0, HORIZON))


def planned(unit: Unit) -> End:
    event = planned_event(plan(unit.attempt.seed, LAW, 1.0, HORIZON))
    return event.event, event.call, REASONS.get(event.reason or "", "horizon" if event.event == "censored" else None)


def end_of(result: object) -> End:
    assert isinstance(result, TryResult), result
    return result.event, result.call, result.reason


def chances(law: CompletionLaw) -> dict[End, float]:
    """The chance of every end under ``law``."""
    found = event_distribution(law, 1.0, HORIZON)
    ends: dict[End, float] = {("verified", call, None): chance for call, chance in enumerate(found.verified, 1)}
    for reason, spelled in REASONS.items():
        ends |= {("terminal", call, spelled): chance for call, chance in enumerate(found.terminal[reason], 1)}
    return ends | {("censored", HORIZON, "horizon"): found.censored}


def tail_chance(count: int, total: int, chance: float) -> float:
    """Exact two-sided binomial p-value (twice the smaller tail)."""

    def mass(k: int) -> float:
        return math.comb(total, k) * chance**k * (1 - chance) ** (total - k)

    return min(1.0, 2 * min(sum(map(mass, range(count + 1))), sum(map(mass, range(count, total + 1)))))


def agrees(counts: Counter[End], law: CompletionLaw) -> bool:
    """Whether every end, and every kind of end, is as frequent as the law says; Bonferroni over all of them."""
    ends = chances(law)
    assert sum(ends.values()) == pytest.approx(1)
    total = sum(counts.values())
    tests = [(counts[end], chance) for end, chance in ends.items()]
    for event, reason in {(event, reason) for event, _, reason in ends}:
        parts = [end for end in ends if (end[0], end[2]) == (event, reason)]
        tests.append((sum(counts[end] for end in parts), sum(ends[end] for end in parts)))
    impossible = [end for end in counts if counts[end] and not ends.get(end)]
    return not impossible and min(tail_chance(count, total, chance) for count, chance in tests) >= ALPHA / len(tests)


@pytest.mark.slow
def test_attempts_end_as_the_law_says(in_lab: TinyLab) -> None:
    waiting = {unit.attempt.id: unit for unit in units(ATTEMPTS, in_lab.root)}
    todo = list(waiting.values())
    results: dict[str, TryResult] = {}
    with LocalEngine(2) as engine:
        while len(results) < ATTEMPTS:
            while todo and engine.free:
                unit = todo.pop()
                engine.submit(unit.attempt.id, ("try", unit))
            for answer in engine.answers(0.5):
                assert answer.ok, answer.failure
                results[answer.key] = answer.result

    # One by one: the verifier sees the end where the script's plan has it, and at no other call.
    for key, unit in waiting.items():
        assert end_of(results[key]) == planned(unit)
    states: Counter[tuple[str, str | None]] = Counter()
    for key, unit in waiting.items():
        kinds = kinds_of(unit)
        states.update((kinds[action.call - 1], action.verdict_state) for action in results[key].actions)
    assert {state for kind, state in states if kind == "complete"} == {"pass"}
    assert states["wrong", "fail"] >= 20
    assert states["destroy", "broken_import"] + states["destroy", "fail"] >= 20
    assert not any(state == "pass" for kind, state in states if kind != "complete")

    # All together: frequencies agree with the law, and would not with another one.
    counts = Counter(end_of(result) for result in results.values())
    assert agrees(counts, LAW)
    half = [{"from": step.from_, "value": step.value / 2} for step in LAW.hazard]
    assert not agrees(counts, LAW.overridden({"hazard": half}))
    assert not agrees(counts, LAW.overridden({"malformed_after_malformed": 0.25}))
    assert not agrees(counts, LAW.overridden({"submit": 0.0}))


def test_the_test_of_agreement_is_exact() -> None:
    assert tail_chance(0, 10, 0.5) == pytest.approx(2 / 1024)
    assert tail_chance(3, 10, 0.3) == 1.0
    assert tail_chance(10, 10, 0.3) == pytest.approx(2 * 0.3**10)
    # scipy.stats.binom: 2 * binom.cdf(40, 200, 0.3)
    assert tail_chance(40, 200, 0.3) == pytest.approx(0.0019, abs=1e-4)
    assert agrees(Counter({end: round(200 * chance) for end, chance in chances(LAW).items()}), LAW)


def test_the_verifier_decides_and_not_the_script(in_lab: TinyLab) -> None:
    """A task whose wrong repairs are right ones, and whose right ones are wrong, turns the events round."""
    for name, body in {"mutations/zero": "n * 2", "mutations/small-only": "n + n"}.items():
        (in_lab.task / f"{name}.patch").write_text(repair(body))
    for name, body in {"reference": "0", "alternatives/shift": "1"}.items():
        (in_lab.task / f"{name}.patch").write_text(repair(body))
    turned, ends = 0, {"wrong": "verified", "submit": "terminal"}
    for unit in units(12, in_lab.root):
        kinds = kinds_of(unit)
        decisive = next((call for call, kind in enumerate(kinds, 1) if kind in ends), None)
        end = end_of(run_try(unit))
        if end[2] == "repeated_format_error":
            continue
        if decisive is None:
            assert end == ("censored", HORIZON, "horizon")
        else:
            assert end[:2] == (ends[kinds[decisive - 1]], decisive)
            turned += end[0] == "verified"
    assert turned >= 2
