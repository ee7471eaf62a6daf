"""Rules between the keys of a protocol, each with the key at fault and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import JsonValue, ValidationError

from harness import plugins
from harness.protocol.models import LitellmModel, LocalModel, Runtime, ScriptedModel
from harness.protocol.schema import Analysis, Protocol


class Broken(NamedTuple):
    """A rule that a protocol breaks."""

    key: str
    what: str
    mend: str


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
    yield from _unique("retry.classes", protocol.retry.classes or [])
    if mend := plugins.unknown("sandboxes", protocol.sandbox.kind):
        yield Broken("sandbox.kind", f"unknown sandbox {protocol.sandbox.kind!r}", mend)
    if protocol.sandbox.network:
        yield Broken("sandbox.network", "the network is off in every phase", "set network: false")
    for name, runtime in protocol.runtimes.items():
        yield from _runtime(f"runtimes.{name}", runtime, protocol.tasks)
    yield from _sets(protocol)
    yield from _analysis(protocol.analysis, protocol.horizon)


def _unique(key: str, names: Sequence[str]) -> Iterator[Broken]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Broken(key, f"{name!r} is listed {names.count(name)} times", "list it once; more attempts are repeats")


def _runtime(key: str, runtime: Runtime, tasks: list[str]) -> Iterator[Broken]:
    if mend := plugins.unknown("agents", runtime.agent):
        yield Broken(f"{key}.agent", f"unknown agent {runtime.agent!r}", mend)
        return
    model, kind = runtime.model, runtime.model.kind if runtime.model else None
    wanted: dict[str, tuple[str | None, ...]] = {"scripted": ("scripted",), "default": ("local", "litellm")}
    theirs = (None,) if runtime.agent in plugins.BUILT_IN["agents"] else ("local", "litellm", None)
    allowed = wanted.get(runtime.agent, theirs)
    if kind not in allowed:
        names = " or ".join(name or "none" for name in allowed)
        mend = "delete the key" if allowed == (None,) else f"give a model with kind: {names}"
        yield Broken(f"{key}.model", f"agent {runtime.agent!r} takes {names}, not {kind or 'none'}", mend)
    match model:
        case ScriptedModel():
            yield from _laws(f"{key}.model.laws", model, tasks)
        case LitellmModel():
            yield from _endpoint(f"{key}.model", model)
        case LocalModel() | None:
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
        if calls != sorted(set(calls)):
            yield Broken(f"analysis.{key}", f"{calls} is not ascending", "sort the calls, each once")
        if max(calls) > last:
            what = f"{max(calls)} is above {last}, with a budget of {plan.budget}"
            yield Broken(f"analysis.{key}", what, f"keep calls of at most {last}")
