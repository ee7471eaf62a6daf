"""The rules of checkpoint stages."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from protocol_factory import DELETE, TASKS, stage_data

from harness.errors import InputError
from harness.plan import expand_checkpoints
from harness.protocol.load import parse_protocol
from harness.protocol.schema import Protocol
from harness.store.checkpoints import Checkpoint

ACTIONS = [
    {"name": "restart", "workspace": "reset", "context": "reset"},
    {"name": "continue", "workspace": "keep", "context": "keep"},
]
PLAN: dict[str, Any] = {
    "source": {"stage": "pilot30"}, "select": {"rule": "live-at", "call": 8}, "most_per_task": 2, "budget": 20,
    "actions": ACTIONS, "compare": {"restart": "restart", "continue": "continue"},
}  # fmt: skip
KIND: dict[str, Any] = {
    "kind": "checkpoint", "checkpoint": PLAN, "arms": [{"name": "restart"}, {"name": "continue"}],
    "analysis.cutoffs": DELETE, "analysis.times": DELETE, "analysis.family": "checkpoints",
}  # fmt: skip


def parsed(changes: dict[str, Any] | None = None) -> Protocol:
    data = stage_data({**KIND, "checkpoint": copy.deepcopy(PLAN), **(changes or {})})
    return parse_protocol(data, Path("small.yaml"), TASKS)


def test_a_checkpoint_stage_is_valid() -> None:
    protocol = parsed()
    assert protocol.checkpoint is not None
    assert [action.name for action in protocol.checkpoint.actions] == ["restart", "continue"]
    assert protocol.checkpoint.compare is not None and protocol.checkpoint.compare.continue_ == "continue"


BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "no section": ({"checkpoint": None}, "checkpoint", "is missing"),
    "section of another kind": ({"kind": "collect"}, "checkpoint", "is not of kind collect"),
    "arms are not the actions": ({"arms": [{"name": "baseline"}]}, "arms", "not the names"),
    "cutoffs": ({"analysis.cutoffs": [4]}, "analysis.cutoffs", "is not of kind checkpoint"),
    "times": ({"analysis.times": [4]}, "analysis.times", "is not of kind checkpoint"),
    "family": ({"analysis.family": "tasks x times"}, "analysis.family", "not of kind checkpoint"),
    "itself": ({"checkpoint.source.stage": "small"}, "checkpoint.source.stage", "this stage itself"),
    "an action twice": ({"checkpoint.actions": [ACTIONS[0], ACTIONS[0]]}, "checkpoint.actions", "listed 2 times"),
    "unknown side": ({"checkpoint.compare.restart": "retry"}, "checkpoint.compare.restart", "unknown action"),
    "one side": ({"checkpoint.compare.restart": "continue"}, "checkpoint.compare", "with itself"),
    "unknown monitor": (
        {"checkpoint.select": {"rule": "on-alarm", "monitor": "guess", "threshold": 1}},
        "checkpoint.select.monitor", "unknown monitor",
    ),
    "no calls left": ({"checkpoint.select.call": 20}, "checkpoint.select.call", "leaves nothing"),
    "unknown rule": ({"checkpoint.select": {"rule": "best"}}, "checkpoint.select", "best"),
    "unknown reason": (
        {"checkpoint.select": {"rule": "end-of-failed", "reasons": ["bored"]}}, "checkpoint.select", "reasons"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_a_broken_rule_is_named(what: str) -> None:
    changes, key, said = BAD[what]
    with pytest.raises(InputError) as error:
        parsed(changes)
    assert (error.value.key or "").startswith(key), str(error.value)
    assert said in str(error.value)


def test_a_plain_stage_needs_its_calls() -> None:
    for key in ("cutoffs", "times"):
        with pytest.raises(InputError, match="is missing"):
            parse_protocol(stage_data({f"analysis.{key}": DELETE}), Path("small.yaml"), TASKS)


def test_episodes_have_what_the_budget_leaves() -> None:
    protocol = parsed()
    states = [
        Checkpoint("demo-1", "b" * 64, call, "a" * 64, {}, None, 0, "e" * 64, {"status": "live"}) for call in (5, 18)
    ]
    found = expand_checkpoints(protocol, "d" * 64, "scripted", states)
    assert len(found) == 2 * 2 * protocol.repeats == len({one.id for one in found})
    assert {one.arm: one.horizon for one in found} == {
        f"{action}@{state.name}": left
        for state, left in zip(states, (15, 2), strict=True) for action in ("restart", "continue")
    }  # fmt: skip
    assert [one.repeat for one in found] == sorted(one.repeat for one in found)
    other = expand_checkpoints(protocol, "e" * 64, "scripted", states)
    assert not {one.id for one in other} & {one.id for one in found}
