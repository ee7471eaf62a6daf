"""The monitors that come with the project, on attempts made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from trajectories import call, joined

from harness.monitors.catalogue import parse_spec
from harness.monitors.prefix import UNTOUCHED
from harness.monitors.scoring import scored
from harness.monitors.stated_confidence import QUESTION, StatedConfidence, chance_of
from harness.monitors.watch import prefixes

LS, MAKE = ("ls", UNTOUCHED), ("make", UNTOUCHED)


def scores(which: str, *calls: list[dict[str, Any]]) -> Sequence[float | None]:
    """Scores after every call but the last, which is added here: after it there is nothing to decide."""
    end = call(len(calls) + 1)
    return [one.score for one in scored(parse_spec(which), joined([*calls, end]), "it")]


def test_fixed_time_is_the_number_of_the_call() -> None:
    assert scores("fixed-time", call(1), call(2), call(4)) == [1, 2, 4]


def test_format_errors_in_a_row() -> None:
    calls = [call(n, parsed=n == 3) for n in (1, 2, 3, 4)]
    assert scores("format-errors", *calls) == [1, 2, 0, 1]


def test_unchanged_counts_calls_since_the_content_changed() -> None:
    found = scores(
        "unchanged", call(1, [LS]), call(2, [("sed", "a")]), call(3, [("cat", "a")]), call(4, parsed=False),
        call(5, [("undo", UNTOUCHED)]), call(6, [LS, ("sed", "a"), ("undo", UNTOUCHED)]),
    )  # fmt: skip
    assert found == [1, 0, 1, 2, 0, 0]


def test_repeated_command_looks_back_on_a_window() -> None:
    calls = (call(1, [LS]), call(2, [MAKE]), call(3, [("  ls ", UNTOUCHED)]), call(4, [LS, LS]), call(5), call(6, [LS]))
    assert scores("repeated-command", *calls) == [0, 0, 1, 3, 0, 4]
    assert scores("repeated-command:window=2", *calls) == [0, 0, 0, 2, 0, 0]


def test_stated_confidence_keeps_the_last_statement() -> None:
    said = (call(1), call(2, statement="CONFIDENCE: 90"), call(3), call(4, statement="No idea."), call(5))
    assert scores("stated-confidence:every=2", *said) == [None, pytest.approx(0.1), pytest.approx(0.1)] + [
        pytest.approx(0.1)
    ] * 2  # fmt: skip


def test_stated_confidence_asks_every_so_many_calls() -> None:
    monitor = StatedConfidence(every=2)
    found = list(prefixes(joined([call(1), call(3), call(4), call(6)])))
    assert [monitor.question(prefix) for prefix in found] == [None, QUESTION, None, QUESTION]


def test_an_episode_after_an_action_is_scored_by_itself() -> None:
    acted = {"type": "intervention", "call": 2, "action": "restart"}
    first, later = [call(1, [LS]), call(2, [LS])], [call(3, [LS]), call(4, [LS]), call(5)]
    lines = [*joined(first), acted, *(line for one in later for line in one)]
    wanted = {"unchanged": [1, 2, 1, 2], "repeated-command": [0, 1, 0, 1], "fixed-time": [1, 2, 3, 4]}
    for which, expected in wanted.items():
        assert [one.score for one in scored(parse_spec(which), lines, "it")] == expected


@pytest.mark.parametrize(
    ("answer", "chance"),
    [
        ("CONFIDENCE: 70", 0.7), ("confidence = 12.5%", 0.125), ("CONFIDENCE: 10\nno, CONFIDENCE: 30", 0.3),
        ("CONFIDENCE: 101", None), ("70 %", None), ("", None), ("CONFIDENCE: <percent>", None),
    ],
)  # fmt: skip
def test_statements(answer: str, chance: float | None) -> None:
    assert chance_of(answer) == chance
