"""The completion law: validation, hazards, and exact event probabilities against plain enumeration."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.models.law import CompletionLaw, event_distribution

DECLARED = CompletionLaw.model_validate({
    "hazard": [{"from": 1, "value": 0.0}, {"from": 4, "value": 0.10}, {"from": 16, "value": 0.03}],
    "malformed": 0.05, "malformed_after_malformed": 0.3, "submit": 0.01, "destroy": 0.03,
})
probabilities = st.floats(0, 1)
laws = st.builds(
    lambda values, gaps, rest: CompletionLaw.model_validate({
        "hazard": [{"from": 1 + sum(gaps[:i]), "value": v} for i, v in enumerate(values)], **rest,
    }),
    st.lists(probabilities, min_size=1, max_size=4),
    st.lists(st.integers(1, 5), min_size=4, max_size=4),
    st.fixed_dictionaries({
        "malformed": probabilities, "malformed_after_malformed": st.none() | probabilities,
        "submit": probabilities, "destroy": probabilities,
    }),
)


@pytest.mark.parametrize(("change", "where"), [
    ({"hazard": []}, "hazard"),
    ({"hazard": [{"from": 2, "value": 0.1}]}, "from call 1"),
    ({"hazard": [{"from": 1, "value": 0.1}, {"from": 1, "value": 0.2}]}, "order them"),
    ({"hazard": [{"from": 1, "value": 0.1}, {"from": 5, "value": 0.2}, {"from": 4, "value": 0.2}]}, "order them"),
    ({"hazard": [{"from": 1, "value": 1.1}]}, "value"),
    ({"hazard": [{"from": 1.5, "value": 0.1}]}, "from"),
    ({"hazard": [{"from": 1, "value": 0.1, "until": 3}]}, "until"),
    ({"malformed": -0.1}, "malformed"),
    ({"malformed_after_malformed": math.nan}, "malformed_after_malformed"),
    ({"submit": math.inf}, "submit"),
    ({"destroy": True}, "destroy"),
    ({"destroy": "0.1"}, "destroy"),
    ({"speed": 1}, "speed"),
])
def test_bad_laws_are_refused_by_name(change, where):
    with pytest.raises(ValidationError, match=where):
        DECLARED.overridden(change)


def test_laws_are_frozen_and_overrides_replace_whole_fields():
    with pytest.raises(ValidationError, match="frozen"):
        DECLARED.submit = 0.5
    other = DECLARED.overridden({"submit": 0.5, "hazard": [{"from": 1, "value": 1}]})
    assert (other.submit, other.destroy, other.hazard_at(9)) == (0.5, 0.03, 1.0)
    assert CompletionLaw.model_validate(DECLARED.model_dump(mode="json", by_alias=True)) == DECLARED


def test_stickiness_defaults_to_the_plain_chance():
    assert [DECLARED.malformed_at(run) for run in (0, 1, 2)] == [0.05, 0.3, 0.3]
    plain = DECLARED.overridden({"malformed_after_malformed": None})
    assert [plain.malformed_at(run) for run in (0, 1, 2)] == [0.05, 0.05, 0.05]
    never_twice = DECLARED.overridden({"malformed_after_malformed": 0.0})
    assert never_twice.malformed_at(1) == 0.0


def test_hazard_steps_and_scale():
    assert [DECLARED.hazard_at(u) for u in (1, 3, 4, 15, 16, 1000)] == [0, 0, 0.10, 0.10, 0.03, 0.03]
    stretched = 1 - 0.9 ** (1 / 2)
    assert [DECLARED.hazard_at(u, 2.0) for u in (6, 7, 30)] == pytest.approx([0, stretched, stretched])
    assert DECLARED.hazard_at(2, 0.5) == pytest.approx(1 - 0.9**2)
    # 3 / 0.1 in binary is above 30: the step from call 31 must not begin yet.
    exact = CompletionLaw.model_validate({"hazard": [{"from": 1, "value": 0.0}, {"from": 31, "value": 1.0}]})
    assert [exact.hazard_at(u, 0.1) for u in (3, 4)] == [0.0, 1.0]


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_bad_scales_and_calls_are_refused(scale):
    with pytest.raises(ValueError, match="scale is"):
        DECLARED.hazard_at(1, scale)
    with pytest.raises(ValueError, match="counted from 1"):
        DECLARED.hazard_at(0)


def enumerate_events(law, scale, horizon, limit):
    """Every sequence of call outcomes with its probability, played through the agent's rule one by one."""
    events: dict[tuple[str, int], float] = {}
    for outcomes in product("mcso", repeat=horizon):
        chance, consecutive, event = 1.0, 0, ("censored", horizon)
        for call, outcome in enumerate(outcomes, 1):
            sticky = law.malformed if law.malformed_after_malformed is None else law.malformed_after_malformed
            m = sticky if consecutive else law.malformed
            h = law.hazard_at(call, scale)
            chance *= {
                "m": m, "c": (1 - m) * h, "s": (1 - m) * (1 - h) * law.submit,
                "o": (1 - m) * (1 - h) * (1 - law.submit),
            }[outcome]
            consecutive = consecutive + 1 if outcome == "m" else 0
            if event[0] != "censored":
                continue  # the rest of the sequence sums to 1
            if limit and consecutive == limit:
                event = ("RepeatedFormatError", call)
            elif outcome in "cs":
                event = ({"c": "verified", "s": "Submitted"}[outcome], call)
        events[event] = events.get(event, 0.0) + chance
    return events


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
@pytest.mark.parametrize("scale", [1.0, 1.7])
@pytest.mark.parametrize("law", [
    CompletionLaw.model_validate({
        "hazard": [{"from": 1, "value": 0.1}, {"from": 3, "value": 0.4}],
        "malformed": 0.2, "malformed_after_malformed": 0.7, "submit": 0.15, "destroy": 0.5,
    }),
    CompletionLaw.model_validate({"hazard": [{"from": 1, "value": 0.25}], "malformed": 0.5, "submit": 0.3}),
])
def test_distribution_agrees_with_enumeration(law, scale, limit):
    horizon = 6
    want = enumerate_events(law, scale, horizon, limit)
    got = event_distribution(law, scale, horizon, limit)
    series = {"verified": got.verified, **got.terminal}
    for name, values in series.items():
        assert values == pytest.approx([want.get((name, u), 0.0) for u in range(1, horizon + 1)], abs=1e-12)
    assert got.censored == pytest.approx(want[("censored", horizon)])


@settings(max_examples=150, deadline=None)
@given(law=laws, scale=st.floats(0.05, 20), horizon=st.integers(1, 40), limit=st.integers(0, 4))
def test_probabilities_sum_to_one(law, scale, horizon, limit):
    got = event_distribution(law, scale, horizon, limit)
    parts = [*got.verified, *(p for values in got.terminal.values() for p in values), got.censored]
    assert all(p >= 0 for p in parts)
    assert math.fsum(parts) == pytest.approx(1.0, abs=1e-9)
    assert {len(got.verified), *map(len, got.terminal.values())} == {horizon}


def test_certain_laws():
    sure = event_distribution(CompletionLaw.model_validate({"hazard": [{"from": 1, "value": 1}]}), 1.0, 5)
    assert sure.verified == (1, 0, 0, 0, 0) and sure.censored == 0
    mute = CompletionLaw.model_validate({"hazard": [{"from": 1, "value": 1}], "malformed": 1})
    assert event_distribution(mute, 1.0, 5).terminal["RepeatedFormatError"] == (0, 0, 1, 0, 0)
    assert event_distribution(mute, 1.0, 5, max_format_errors=0).censored == 1
