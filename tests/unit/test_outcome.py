"""How attempts are classified."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.outcome import CENSORED, TERMINAL, Progress, event_of, known_total

#: Per call the verdicts of its actions; a malformed call has none.
VERDICTS = st.lists(st.lists(st.booleans(), max_size=3), max_size=12)


def judged(calls: list[list[bool]]) -> Progress:
    progress = Progress()
    for call, verdicts in enumerate(calls, 1):
        progress.calls, progress.action = call, -1
        for passed in verdicts:
            progress.action += 1
            progress.judge(passed)
    return progress


@given(VERDICTS)
def test_first_pass_un_pass_and_re_pass(calls: list[list[bool]]) -> None:
    flat = [(call, action, passed) for call, found in enumerate(calls, 1) for action, passed in enumerate(found)]
    first = next((i for i, one in enumerate(flat) if one[2]), len(flat))
    lost = next((i for i in range(first, len(flat)) if not flat[i][2]), len(flat))
    back = next((i for i in range(lost, len(flat)) if flat[i][2]), len(flat))

    def place(index: int) -> tuple[int, int] | tuple[None, None]:
        return flat[index][:2] if index < len(flat) else (None, None)

    progress = judged(calls)
    assert (progress.passed_call, progress.passed_action) == place(first)
    assert (progress.unpassed_at, progress.repassed_at) == (place(lost)[0], place(back)[0])


@given(VERDICTS, st.sampled_from([*TERMINAL, *CENSORED]))
def test_one_event_at_one_call(calls: list[list[bool]], status: str) -> None:
    event, call, reason = event_of(judged(calls), status)
    passes = [number for number, found in enumerate(calls, 1) if any(found)]
    if passes:  # whatever ended the attempt, at that call or later
        assert (event, call, reason) == ("verified", passes[0], None)
    elif status in TERMINAL:
        assert (event, call, reason) == ("terminal", len(calls), TERMINAL[status])
    else:
        assert (event, call, reason) == ("censored", len(calls), CENSORED[status])


def test_every_end_has_its_event() -> None:
    ends = {
        "RepeatedFormatError": ("terminal", "repeated_format_error"),
        "submitted": ("terminal", "unverified_submission"),
        "context_overflow": ("terminal", "context_overflow"), "refusal": ("terminal", "refusal"),
        "agent_stopped": ("terminal", "agent_stopped"), "agent_error": ("terminal", "agent_error"),
        "horizon": ("censored", "horizon"), "cost_limit": ("censored", "cost_limit"),
        "token_limit": ("censored", "token_limit"), "wall_limit": ("censored", "wall_limit"),
    }  # fmt: skip
    assert set(ends) == {*TERMINAL, *CENSORED}
    for status, (event, reason) in ends.items():
        assert event_of(Progress(calls=4), status) == (event, 4, reason)


@pytest.mark.parametrize("status", ["", "verified", "Submitted", "LimitsExceeded"])
def test_an_end_that_no_rule_covers_is_an_error(status: str) -> None:
    with pytest.raises(ValueError, match="unknown end"):
        event_of(Progress(calls=4), status)


def test_a_total_is_known_only_if_all_costs_are() -> None:
    assert known_total([]) == 0.0
    assert known_total([0.0, 0.0]) == 0.0
    assert known_total([0.5, 0.25]) == 0.75
    assert known_total([0.5, None, 0.25]) is None
    assert known_total([None]) is None
