"""Rules between the keys of a protocol, each with the key at fault and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from pydantic import JsonValue, ValidationError

from harness import plugins
from harness.protocol.arms import broken_arms
from harness.protocol.broken import Broken
from harness.protocol.checkpoint import CheckpointPlan, LiveAt, OnAlarm
from harness.protocol.models import LitellmModel, LocalModel, Runtime, ScriptedModel
from harness.protocol.planning import PlannerModel
from harness.protocol.schema import Analysis, Protocol

#: Request parameters that have a key of their own, or that the agent sets.
RESERVED_PARAMS = (
    "model", "messages", "tools", "temperature", "api_base", "stream",
    # Retries of the client's own would escape the retry section, unrecorded.
    "max_retries", "num_retries", "retry_policy", "fallbacks", "context_window_fallback_dict",
)  # fmt: skip


def broken_rules(protocol: Protocol) -> Iterator[Broken]:
    """Every broken rule, in the order of the keys."""
    yield from _unique("tasks", protocol.tasks)
    for number, item in enumerate(protocol.selection.rejected):
        if item.task in protocol.tasks:
            key = f"selection.rejected.{number}.task"
            yield Broken(key, f"{item.task!r} is also among the tasks", "take it out of tasks or out of rejected")
    yield from _unique("arms", [arm.name for arm in protocol.arms])
    yield from broken_arms(protocol)
    yield from _unique("retry.classes", protocol.retry.classes or [])
    if mend := plugins.unknown("sandboxes", protocol.sandbox.kind):
        yield Broken("sandbox.kind", f"unknown sandbox {protocol.sandbox.kind!r}", mend)
    if protocol.sandbox.network:
        yield Broken("sandbox.network", "the network is off in every phase", "set network: false")
    for name, runtime in protocol.runtimes.items():
        yield from _runtime(f"runtimes.{name}", runtime, protocol)
    yield from _sets(protocol)
    if protocol.kind not in ("planning", "patch_algebra"):
        if protocol.analysis is None:
            yield Broken("analysis", "is missing", "state the plan before anything is collected")
        else:
            yield from _analysis(protocol.analysis, protocol.horizon)
            yield from _plan_of_kind(protocol, protocol.analysis)
    if protocol.checkpoint:
        yield from _checkpoint(protocol, protocol.checkpoint)


def _unique(key: str, names: Sequence[str]) -> Iterator[Broken]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Broken(key, f"{name!r} is listed {names.count(name)} times", "list it once; more attempts are repeats")


def _runtime(key: str, runtime: Runtime, protocol: Protocol) -> Iterator[Broken]:
    if mend := plugins.unknown("agents", runtime.agent):
        yield Broken(f"{key}.agent", f"unknown agent {runtime.agent!r}", mend)
        return
    model, kind = runtime.model, runtime.model.kind if runtime.model else None
    wanted: dict[str, tuple[str | None, ...]] = {
        "scripted": ("planner" if protocol.kind == "planning" else "scripted",),
        "default": ("local", "litellm"), "direct": ("local", "litellm"),
    }  # fmt: skip
    theirs = (None,) if runtime.agent in plugins.BUILT_IN["agents"] else ("local", "litellm", None)
    allowed = wanted.get(runtime.agent, theirs)
    if kind not in allowed:
        names = " or ".join(name or "none" for name in allowed)
        mend = "delete the key" if allowed == (None,) else f"give a model with kind: {names}"
        yield Broken(f"{key}.model", f"agent {runtime.agent!r} takes {names}, not {kind or 'none'}", mend)
    if (runtime.agent == "behaviour") != (runtime.behaviour is not None):
        yield Broken(f"{key}.behaviour", "goes with agent 'behaviour', which needs it", "name one, or delete it")
    match model:
        case ScriptedModel():
            yield from _laws(f"{key}.model.laws", model, protocol.tasks)
        case LitellmModel():
            yield from _endpoint(f"{key}.model", model)
        case LocalModel() | PlannerModel() | None:
            pass


def _laws(key: str, model: ScriptedModel, tasks: list[str]) -> Iterator[Broken]:
    for task in model.laws:
        if task not in tasks:
            yield Broken(f"{key}.{task}", "is not a task of the stage", f"tasks of the stage: {', '.join(tasks)}")
        try:
            model.law_for(task)
        except ValidationError as error:
            problem = error.errors()[0]
            where = ".".join(str(part) for part in (key, task, *problem["loc"]))
            yield Broken(where, problem["msg"].removeprefix("Value error, "), "correct the key")


def _endpoint(key: str, model: LitellmModel) -> Iterator[Broken]:
    # The values are not shown: a key pasted by mistake must not reach a terminal or a log.
    if model.credential is not None and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", model.credential):
        mend = "write the variable's name, e.g. OPENAI_API_KEY, and keep the key itself out of the file"
        yield Broken(f"{key}.credential", "is not the name of an environment variable", mend)
    if model.api_base is not None and not _plain_address(model.api_base):
        mend = "write http(s)://HOST[:PORT][/PATH] without user or password"
        yield Broken(f"{key}.api_base", "is not a plain http or https address", mend)
    for name in RESERVED_PARAMS:
        if name in model.params:
            yield Broken(f"{key}.params.{name}", "is set elsewhere", "delete it from params")
    for name in _names(model.params):
        if re.search(r"api[_-]?key|secret|password|authorization", name, re.IGNORECASE):
            mend = "delete it and name the variable that holds the key under credential"
            yield Broken(f"{key}.params", f"{name!r}: a protocol holds no credentials", mend)


def _names(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _names(child)


def _plain_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return False


def _sets(protocol: Protocol) -> Iterator[Broken]:
    known = f"runtimes: {', '.join(protocol.runtimes)}"
    for name, members in protocol.sets.items():
        key = f"sets.{name}"
        yield from _unique(key, members)
        for member in members:
            if member not in protocol.runtimes:
                yield Broken(key, f"names the unknown runtime {member!r}", known)
        if name in protocol.runtimes and members != [name]:
            # RUNTIME=NAME would have two meanings.
            yield Broken(key, f"a runtime is named {name!r} too, but is not all of the set", "rename the set")
    if protocol.default_set not in protocol.sets:
        yield Broken("default_set", f"{protocol.default_set!r} is not a set", f"sets: {', '.join(protocol.sets)}")


def _analysis(plan: Analysis, horizon: int) -> Iterator[Broken]:
    if plan.budget > horizon:
        mend = f"set a budget of at most {horizon}, or a longer horizon"
        yield Broken("analysis.budget", f"{plan.budget} is above the horizon {horizon}", mend)
    for key, calls, last in (("cutoffs", plan.cutoffs, plan.budget), ("times", plan.times, plan.budget - 1)):
        if calls is None:
            continue
        if calls != sorted(set(calls)):
            yield Broken(f"analysis.{key}", f"{calls} is not ascending", "sort the calls, each once")
        if max(calls) > last:
            what = f"{max(calls)} is above {last}, with a budget of {plan.budget}"
            yield Broken(f"analysis.{key}", what, f"keep calls of at most {last}")


def _plan_of_kind(protocol: Protocol, plan: Analysis) -> Iterator[Broken]:
    """The keys that one kind of stage needs, and others do not have."""
    kind = protocol.kind
    states = kind == "checkpoint"
    if states != (protocol.checkpoint is not None):
        mend = "describe the states and actions" if states else "delete the section, or set kind: checkpoint"
        yield Broken("checkpoint", "is missing" if states else f"is not of kind {kind}", mend)
    for key, given in (("cutoffs", plan.cutoffs), ("times", plan.times)):
        if states == (given is not None):
            mend = "delete the key" if states else "list the calls"
            yield Broken(f"analysis.{key}", f"is not of kind {kind}" if states else "is missing", mend)
    family = "checkpoints" if states else "tasks x times"
    if plan.family != family:
        yield Broken("analysis.family", f"{plan.family!r} is not of kind {kind}", f"set family: {family}")


def _checkpoint(protocol: Protocol, plan: CheckpointPlan) -> Iterator[Broken]:
    names = [action.name for action in plan.actions]
    yield from _unique("checkpoint.actions", names)
    if [arm.name for arm in protocol.arms] != names or any(arm.action or arm.trigger for arm in protocol.arms):
        mend = f"set arms: [{', '.join(f'{{name: {name}}}' for name in names)}]"
        yield Broken("arms", "are not the names of checkpoint.actions", mend)
    if plan.source.stage == protocol.stage:
        yield Broken("checkpoint.source.stage", "is this stage itself", "name the stage whose states are taken")
    if plan.compare:
        for key, name in (("restart", plan.compare.restart), ("continue", plan.compare.continue_)):
            if name not in names:
                yield Broken(f"checkpoint.compare.{key}", f"unknown action {name!r}", f"actions: {', '.join(names)}")
        if plan.compare.restart == plan.compare.continue_:
            yield Broken("checkpoint.compare", "compares an action with itself", "name two actions")
    if isinstance(plan.select, OnAlarm) and (known := plugins.unknown("monitors", plan.select.monitor)):
        yield Broken("checkpoint.select.monitor", f"unknown monitor {plan.select.monitor!r}", known)
    if isinstance(plan.select, LiveAt) and plan.budget and plan.select.call >= plan.budget:
        what = f"call {plan.select.call} leaves nothing of a budget of {plan.budget}"
        yield Broken("checkpoint.select.call", what, f"set a call below {plan.budget}")
    if all(action.context == "reset" and action.message is None for action in plan.actions):
        return
    for name, runtime in protocol.runtimes.items():
        if runtime.agent not in plugins.BUILT_IN["agents"]:
            what = f"agent {runtime.agent!r} begins a conversation of its own"
            mend = "use actions with context: reset and no message, or an agent of this project"
            yield Broken(f"runtimes.{name}.agent", what, mend)
