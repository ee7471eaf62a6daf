"""Rules of a stage's arms: an intervention needs an action, a trigger that can fire, and agents that allow it."""

from __future__ import annotations

from collections.abc import Iterator

from harness import plugins
from harness.protocol.broken import Broken
from harness.protocol.expansion import ExpansionRule
from harness.protocol.intervention import Alarm, FixedCall, FormatErrors
from harness.protocol.models import ScriptedModel
from harness.protocol.schema import Arm, Protocol


def broken_arms(protocol: Protocol) -> Iterator[Broken]:
    """Every broken rule of ``arms``, and of runtimes on their account."""
    for number, arm in enumerate(protocol.arms):
        yield from _arm(f"arms.{number}", arm, protocol)
    if protocol.analysis and protocol.analysis.expansion:
        yield from _expansion(protocol.analysis.expansion, [arm.name for arm in protocol.arms])
    acting = [arm for arm in protocol.arms if arm.action]
    for name, runtime in protocol.runtimes.items():
        if acting and runtime.agent not in plugins.BUILT_IN["agents"]:
            what = f"agent {runtime.agent!r} has a loop of its own; arm {acting[0].name!r} cannot intervene in it"
            yield Broken(f"runtimes.{name}.agent", what, "take the runtime out, or action and trigger out of the arms")
        if isinstance(runtime.model, ScriptedModel):
            yield from _laws_after(f"runtimes.{name}.model.after", runtime.model, protocol)


def _arm(key: str, arm: Arm, protocol: Protocol) -> Iterator[Broken]:
    if arm.action is None:
        for name, value in (("trigger", arm.trigger), ("most", arm.most)):
            if value is not None:
                yield Broken(f"{key}.{name}", "has no action to go with it", "add an action, or delete the key")
        return
    trigger, ends = arm.trigger, protocol.agent.max_consecutive_format_errors
    match trigger:
        case None if arm.action.context != "reset" or arm.action.workspace != "reset":
            what = "nothing is there to keep before the first call"
            yield Broken(f"{key}.action", what, "add a trigger, or set workspace: reset and context: reset")
        case FixedCall() if trigger.call >= protocol.horizon:
            what = f"call {trigger.call} leaves nothing of a horizon of {protocol.horizon}"
            yield Broken(f"{key}.trigger.call", what, f"set a call below {protocol.horizon}")
        case FormatErrors() if trigger.count > ends:
            what = f"{trigger.count} in a row never happen: {ends} end the attempt"
            yield Broken(f"{key}.trigger.count", what, f"set a count of at most {ends}")
        case Alarm() if mend := plugins.unknown("monitors", trigger.monitor):
            yield Broken(f"{key}.trigger.monitor", f"unknown monitor {trigger.monitor!r}", mend)


def _expansion(rule: ExpansionRule, arms: list[str]) -> Iterator[Broken]:
    for key, name in (("treatment", rule.treatment), ("baseline", rule.baseline)):
        if name not in arms:
            yield Broken(f"analysis.expansion.{key}", f"unknown arm {name!r}", f"arms: {', '.join(arms)}")
    if rule.treatment == rule.baseline:
        yield Broken("analysis.expansion", "compares an arm with itself", "name two arms")


def _laws_after(key: str, model: ScriptedModel, protocol: Protocol) -> Iterator[Broken]:
    actions = [arm.action.name for arm in protocol.arms if arm.action]
    if protocol.checkpoint:
        actions += [action.name for action in protocol.checkpoint.actions]
    if protocol.monitor:
        actions.append(protocol.monitor.action.name)
    for name in model.after or {}:
        if name not in actions:
            known = ", ".join(actions) or "none"
            yield Broken(f"{key}.{name}", "is no action of the stage", f"actions of the stage: {known}")
