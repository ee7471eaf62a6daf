"""Interventions in the agent's loop: what they replace, what they leave alone, what observing costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.agents.agent import RecordedAgent
from harness.agents.interrupts import end_attempt
from harness.agents.meter import Meter
from harness.models.replies import Reply, ReplyConfig, ReplyModel, acting
from harness.monitors.prefix import Prefix
from harness.monitors.watch import Watch
from harness.protocol.recovery import RecoveryAction
from harness.recovery.apply import Summary
from harness.recovery.intervening import Hands, Intervention
from harness.recovery.triggers import AfterFormatErrors, Answer, AtCall, Charge, OnEvent, Trigger
from harness.worktime import WorkTime

MALFORMED = Reply("Hm.", finish_reason="stop")
RESET = RecoveryAction(name="restart", workspace="reset", context="reset")
SUMMARY = RecoveryAction(name="context-reset", workspace="keep", context="summary")
RETRY = RecoveryAction(name="retry", workspace="keep", context="keep", message="Again.")


def model(*replies: Reply) -> ReplyModel:
    def endless() -> Iterator[Reply]:
        yield from replies
        while True:
            yield replies[-1]

    config = ReplyConfig(
        model_name="test", observation_template="{{ output.output }}", format_error_template="{{ error }}", seed="1",
        horizon=9,
    )  # fmt: skip
    return ReplyModel(config, endless(), 0.5)


class Room:
    """Commands that name an end bring it about."""

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        if action["command"].startswith("end "):
            raise end_attempt(action["command"].removeprefix("end "))
        return {"output": action["command"], "returncode": 0, "exception_info": ""}

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        return kwargs


@dataclass
class Costly:
    """A trigger that never fires and always asks."""

    calls: int
    cost_usd: float | None = 0.25

    def bind(self, ask: Callable[[str], Answer], record: Callable[..., None]) -> None:
        pass

    def observe(self, prefix: Prefix, event: str | None) -> bool:
        return False

    def charge(self) -> Charge:
        return Charge(self.calls, self.cost_usd)


@dataclass
class Ran:
    """What became of an attempt."""

    status: str
    meter: Meter
    roles: list[str]
    calls: list[tuple[int, bool]]
    contexts: list[int]
    done: list[str] = field(default_factory=list)
    charged: list[Charge] = field(default_factory=list)
    applied: list[dict[str, Any]] = field(default_factory=list)


def work(
    action: RecoveryAction, trigger: Trigger | None, first: Sequence[Reply], *others: Sequence[Reply],
    most: int | None = None, passed: bool = False, horizon: int = 9, cost_limit: float | None = None,
) -> Ran:  # fmt: skip
    """Runs an agent whose episodes are answered by ``first`` and ``others``, the last one as often as needed."""
    watch = Watch()
    watch.take({"type": "start", "task": "t", "horizon": horizon})
    clients = [model(*replies) for replies in others]
    roles: list[str] = []
    calls: list[tuple[int, bool]] = []

    def on_call(call: int, extra: dict[str, Any], parsed: bool) -> None:
        calls.append((call, parsed))
        watch.take({"type": "call", "call": call, "parsed": parsed, "cost_usd": 0.5})

    meter = Meter(on_call, horizon=horizon, cost_limit=cost_limit, token_limit=None, work=WorkTime())
    ran = Ran("", meter, roles, calls, [])
    now = model(*first)

    def client(number: int, what: RecoveryAction, call: int) -> ReplyModel:
        nonlocal now
        if what.context != "keep":
            now = clients.pop(0) if clients else model(*(others[-1] if others else first))
        return now

    hands = Hands(
        summarise=lambda: Summary(" M a\n", ""), reset=lambda: ran.done.append("reset"), client=client,
        ask=lambda said, question: Answer("", 0.0), record=lambda kind, **facts: ran.done.append(kind),
        charged=lambda charge, alarm: ran.charged.append(charge), passed=lambda: passed,
    )  # fmt: skip
    made = Intervention(action, trigger, most, meter, hands, watch)
    agent = RecordedAgent(
        now, Room(), meter=meter, on_message=lambda message: roles.append(message["role"]), intervene=made,
        on_context=ran.contexts.append, system_template="s", instance_template="{{ task }}",
    )  # fmt: skip
    ran.status = str(agent.run(task="the issue")["exit_status"])
    ran.applied = made.applied
    return ran


def test_a_fresh_context_in_place_of_the_third_malformed_reply() -> None:
    ran = work(SUMMARY, AfterFormatErrors(3), [MALFORMED], [acting("a", "x")], horizon=6)
    assert ran.status == "horizon"
    assert [parsed for _, parsed in ran.calls] == [False] * 3 + [True] * 3
    assert [(one["call"], one["event"]) for one in ran.applied] == [(3, "repeated_format_error")]
    assert ran.roles[:5] == ["system", "user", "user", "user", "user"]
    assert ran.roles[5:8] == ["system", "user", "user"]
    assert (ran.contexts, ran.done) == ([0], ["intervention"])


def test_malformed_replies_before_an_application_do_not_count_after_it() -> None:
    ran = work(SUMMARY, AfterFormatErrors(3), [MALFORMED], [MALFORMED], horizon=8)
    assert [one["call"] for one in ran.applied] == [3, 6]
    assert ran.status == "horizon"


def test_once_is_enough_where_most_says_so() -> None:
    ran = work(SUMMARY, AfterFormatErrors(3), [MALFORMED], [MALFORMED], most=1)
    assert (ran.status, [one["call"] for one in ran.applied], ran.meter.calls) == ("RepeatedFormatError", [3], 6)


def test_the_last_call_is_no_place_for_an_action_on_a_live_attempt() -> None:
    assert work(RESET, AtCall(4), [acting("a", "x")], horizon=4).applied == []
    assert [one["call"] for one in work(RESET, AtCall(4), [acting("a", "x")], horizon=5).applied] == [4]
    ended = work(SUMMARY, AfterFormatErrors(3), [MALFORMED], horizon=3)
    assert (ended.status, len(ended.applied)) == ("horizon", 1)  # the end is replaced all the same


def test_a_kept_conversation_goes_on_with_its_client() -> None:
    ran = work(RETRY, OnEvent(frozenset({"unverified_submission"})), [acting("a", "end submitted"), acting("b", "x")],
               horizon=3)  # fmt: skip
    assert ran.roles[:6] == ["system", "user", "assistant", "tool", "user", "assistant"]
    assert ran.contexts == [3]
    assert ran.status == "horizon"


@pytest.mark.parametrize("status", ["verified", "wall_limit", "cost_limit"])
def test_passes_and_limits_are_ends(status: str) -> None:
    reasons = frozenset({"unverified_submission", "repeated_format_error", "context_overflow", "refusal"})
    ran = work(RESET, OnEvent(reasons), [acting("a", f"end {status}")])
    assert (ran.status, ran.applied) == (status, [])


def test_a_submission_that_passed_is_left_alone() -> None:
    ran = work(RESET, OnEvent(frozenset({"unverified_submission"})), [acting("a", "end submitted")], passed=True)
    assert (ran.status, ran.applied) == ("submitted", [])


def test_an_action_without_a_trigger_comes_first_and_once() -> None:
    told = RecoveryAction(name="resolver", workspace="reset", context="reset", message="What failed.")
    ran = work(told, None, [acting("a", "x")], [acting("b", "y")], horizon=3)
    assert [(one["call"], one["event"]) for one in ran.applied] == [(0, None)]
    assert ran.done[0] == "reset"
    assert ran.roles[:6] == ["system", "user", "system", "user", "user", "assistant"]


@pytest.mark.parametrize(("calls", "made"), [(0, 9), (1, 5), (2, 3), (8, 1)])
def test_what_observing_costs_comes_out_of_the_same_budget(calls: int, made: int) -> None:
    ran = work(RESET, Costly(calls), [acting("a", "x")])
    assert (ran.status, len(ran.calls), ran.meter.calls) == ("horizon", made, 9)
    assert ran.meter.cost == pytest.approx(0.5 * made + 0.25 * len(ran.charged))
    assert all(later - earlier == calls + 1 for (earlier, _), (later, _) in zip(ran.calls, ran.calls[1:], strict=False))


def test_money_too() -> None:
    assert work(RESET, Costly(0, 0.5), [acting("a", "x")], cost_limit=2.0).status == "cost_limit"
