"""Rules of planning stages: what they need, and what only they may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.errors import InputError
from harness.protocol.broken import Broken
from harness.protocol.planning import PlannerModel, PlanningPlan
from harness.protocol.schema import Protocol
from tasks.interface import Task

#: Agents that can answer a planning task; ``direct`` is for these alone.
AGENTS = ("scripted", "oracle", "nop", "direct")


def planning_rules(protocol: Protocol) -> Iterator[Broken]:
    """Every broken rule, in the order of the keys."""
    planning = protocol.kind == "planning"
    for key, given in (("planning", protocol.planning is not None), ("sandbox.kind", protocol.sandbox.kind == "none")):
        if given != planning:
            mend = "set kind: planning" if given else {"planning": "give the section"}.get(key, "set kind: none")
            said = f"a stage of kind {protocol.kind} {'has none' if given else 'needs it'}"
            yield Broken(key, said if key == "planning" else f"{protocol.sandbox.kind!r}: {said}", mend)
    for name, runtime in protocol.runtimes.items():
        if runtime.agent == "direct" and not planning:
            yield Broken(f"runtimes.{name}.agent", "direct answers planning tasks only", "set agent: default")
        elif planning and runtime.agent not in AGENTS:
            what = f"{runtime.agent!r} needs a workspace, which plans do not have"
            yield Broken(f"runtimes.{name}.agent", what, f"agents of planning stages: {', '.join(AGENTS)}")
    if planning and protocol.planning:
        yield from _plan(protocol, protocol.planning)


def _plan(protocol: Protocol, plan: PlanningPlan) -> Iterator[Broken]:
    if protocol.horizon != 1:
        yield Broken("horizon", f"{protocol.horizon}: an episode of planning is one response", "set horizon: 1")
    if protocol.analysis is not None:
        yield Broken("analysis", "is about restarts, of which a planning stage has none", "delete the section")
    for task in protocol.tasks:
        if task not in plan.answers:
            yield Broken("planning.answers", f"{task} has no first answer", "add one, or take the task out")
    for task in plan.answers:
        if task not in protocol.tasks:
            yield Broken(f"planning.answers.{task}", "is not a task of the stage", "delete it, or add the task")
    names = [action.name for action in plan.actions]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Broken("planning.actions", f"{name!r} is listed {names.count(name)} times", "list it once")
    for number, arm in enumerate(protocol.arms):
        if arm.action is not None:
            yield Broken(f"arms.{number}.action", "an episode of one response has nothing to intervene in", "delete it")
    if [arm.name for arm in protocol.arms] != names:
        mend = f"set arms: [{', '.join(f'{{name: {name}}}' for name in names)}]"
        yield Broken("arms", "are not the actions of planning.actions", mend)
    for name, runtime in protocol.runtimes.items():
        if isinstance(runtime.model, PlannerModel):
            for action in names:
                if action not in runtime.model.chances:
                    key = f"runtimes.{name}.model.chances"
                    yield Broken(key, f"says nothing of the action {action!r}", "add its chances per size")


def require_task_kinds(protocol: Protocol, tasks: Mapping[str, Task]) -> None:
    """Raises ``InputError`` for a planning task outside a planning stage, for another one inside, and where a scripted
    planner has no chances for the size of a task."""
    planning = protocol.kind == "planning"
    for name, task in tasks.items():
        if (task.kind == "planning") != planning:
            what = f"{name} is of kind {task.kind}, the stage of kind {protocol.kind}"
            raise InputError(what, key="tasks", mend="planning tasks stand in planning stages, and nothing else there")
        for label, runtime in protocol.runtimes.items():
            if isinstance(runtime.model, PlannerModel):
                for action, sizes in runtime.model.chances.items():
                    if task.family not in sizes:
                        key = f"runtimes.{label}.model.chances.{action}"
                        raise InputError(f"says nothing of the size {task.family!r}", key=key, mend="add its chances")
