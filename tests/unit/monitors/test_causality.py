"""A score after call t depends on what was seen up to call t, and on no verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trajectories import Line, attempts, joined

from harness.exporting.atif_steps import steps
from harness.monitors.catalogue import BUILT_IN, Spec
from harness.monitors.exported import lines_of_atif
from harness.monitors.prefix import Prefix
from harness.monitors.scoring import Scored, scored
from harness.monitors.watch import prefixes

SPECS = [Spec(name, {}) for name in BUILT_IN] + [Spec("repeated-command", {"window": 3})]


def readings(spec: Spec, lines: list[Line]) -> list[Scored]:
    return list(scored(spec, lines, "it"))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.text)
@given(first=attempts(), second=attempts(), t=st.integers(1, 11))
def test_later_calls_do_not_reach_a_score(
    spec: Spec, first: list[list[Line]], second: list[list[Line]], t: int
) -> None:
    """Two attempts that agree up to call t have the same scores up to call t, whatever follows."""
    shared = first[:t]
    going_on = [*shared, *second[len(shared) :]]
    both = min(len(first), len(going_on)) - 1
    kept = min(len(shared), both)
    assert readings(spec, joined(first))[:kept] == readings(spec, joined(going_on))[:kept]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.text)
@given(calls=attempts())
def test_what_the_verifier_found_does_not_reach_a_score(spec: Spec, calls: list[list[Line]]) -> None:
    lines = joined(calls)
    judged = [
        line | {"state": "pass" if line["state"] == "fail" else "fail", "tests": {"x": "pass"}, "detail": "done"}
        if line["type"] == "verdict" else line
        for line in lines
    ]  # fmt: skip
    assert readings(spec, lines) == readings(spec, judged)
    assert [vars_of(one) for one in prefixes(lines)] == [vars_of(one) for one in prefixes(judged)]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.text)
@given(calls=attempts())
def test_an_exported_trajectory_has_the_same_scores(spec: Spec, calls: list[list[Line]]) -> None:
    lines = joined(calls)
    row = {"task": "t-1", "horizon": 20}
    document = {"extra": {"restartlab": row}, "steps": list(steps(lines, language_model=True))}
    assert readings(spec, list(lines_of_atif(json.loads(json.dumps(document))))) == readings(spec, lines)


def vars_of(prefix: Prefix) -> dict[str, Any]:
    return dict(vars(prefix))
