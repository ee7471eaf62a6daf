"""A try under other verdicts has the event that the live rule would have given it, as far as its states reach."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents.interrupts import exit_message
from harness.collection.regraded_event import Ending, Rules, Step, regraded_event
from harness.store.regrades import RegradedEvent

REASONS = {"submitted": "unverified_submission", "RepeatedFormatError": "repeated_format_error", "horizon": "horizon"}


@dataclass(frozen=True)
class World:
    """What an agent would do, whatever the verifier says: per call its actions, each a submission or not."""

    calls: tuple[tuple[bool, ...], ...]
    end: str

    @property
    def places(self) -> list[tuple[int, int]]:
        return [(call, action) for call, done in enumerate(self.calls, 1) for action in range(len(done))]


@dataclass(frozen=True)
class Lived:
    """How a live try ended: its event, its calls, the states it left, its last status."""

    event: RegradedEvent
    calls: int
    states: list[tuple[int, int]]
    status: str


def live(world: World, passing: set[tuple[int, int]], rules: Rules) -> Lived:
    """The live try, told from the protocol's words and not by the code under test."""
    states: list[tuple[int, int]] = []
    first = unpassed = repassed = None
    status, calls = world.end, len(world.calls)
    for call, action in world.places:
        states.append((call, action))
        passed = (call, action) in passing
        if first is None:
            first = (call, action) if passed else None
        elif not passed:
            unpassed = unpassed or call
        elif unpassed is not None:
            repassed = repassed or call
        if passed and rules.after_pass == "stop":
            status, calls = "verified", call
            break
        if world.calls[call - 1][action] and (passed or rules.on_unverified_submit == "terminal"):
            status, calls = "submitted", call
            break
    if first is not None:
        return Lived(RegradedEvent("verified", first[0], first[1], None, unpassed, repassed), calls, states, status)
    label = "censored" if status == "horizon" else "terminal"
    return Lived(RegradedEvent(label, calls, None, REASONS[status]), calls, states, status)


worlds = st.builds(
    World,
    st.lists(st.lists(st.booleans(), max_size=2).map(tuple), min_size=1, max_size=6).map(tuple),
    st.sampled_from(["RepeatedFormatError", "horizon"]),
)
all_rules = st.builds(Rules, st.sampled_from(["stop", "continue"]), st.sampled_from(["terminal", "continue"]))


@given(worlds, all_rules, st.data())
def test_it_is_the_event_of_a_live_try_or_stopped_early(world: World, rules: Rules, data: st.DataObject) -> None:
    before, after = (set(data.draw(st.lists(st.sampled_from(world.places or [(0, 0)])))) for _ in range(2))
    old, new = live(world, before, rules), live(world, after, rules)
    submissions = {(call, action) for call, action in old.states if world.calls[call - 1][action]}
    found = regraded_event(
        old.event, old.calls, [place in before for place in old.states],
        [Step(*place, place in after) for place in old.states], rules,
        lambda: Ending(old.status, frozenset(submissions)),
    )  # fmt: skip
    cut = old.status == "verified" and new.status == world.end  # stopped: how it would have ended is unseen
    if new.states == old.states[: len(new.states)] and new.calls <= old.calls and not cut:  # nothing lies beyond
        assert found == new.event
    elif not after & set(old.states):
        assert found == RegradedEvent("censored", old.calls, None, "stopped_early")
    else:  # passed within what was seen; whether it stayed so, only the states that are there can say
        assert (found.event, found.call, found.action) == (new.event.event, new.event.call, new.event.action)


def test_unchanged_verdicts_leave_the_event_and_read_no_trajectory() -> None:
    recorded = RegradedEvent("censored", 8, None, "cost_limit")
    unread = pytest.fail
    rules = Rules("stop", "terminal")
    found = regraded_event(recorded, 8, [False, False], [Step(1, 0, False), Step(2, 0, False)], rules, unread)  # type: ignore[arg-type]
    assert found is recorded


def test_a_limit_stays_the_reason_when_a_pass_after_which_it_went_on_is_gone() -> None:
    recorded = RegradedEvent("verified", 3, 0, None, 5, None)
    steps = [Step(3, 0, False), Step(5, 0, False)]
    ending = Ending("wall_limit", frozenset())
    found = regraded_event(recorded, 9, [True, False], steps, Rules("continue", "terminal"), lambda: ending)
    assert found == RegradedEvent("censored", 9, None, "wall_limit")


def test_the_trajectory_tells_status_and_submissions() -> None:
    submit = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    lines = [
        {"type": "action", "call": 1, "action": 0, "command": f"echo '{submit}'", "returncode": 0, "limit": None},
        {"type": "action", "call": 2, "action": 1, "command": submit, "returncode": 0, "limit": None},
        {"type": "action", "call": 3, "action": 0, "command": submit, "returncode": 1, "limit": None},
        {"type": "message", "message": {"role": "user", "content": "x"}},
        {"type": "message", "message": exit_message("horizon")},
    ]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    assert Ending.of(data) == Ending("horizon", frozenset({(2, 1)}))
