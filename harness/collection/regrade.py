"""``regrade``: judges the recorded workspace states of a stage again, with the verifiers as they are now.

No agent runs, and nothing recorded changes: verdicts and events go into a record of their own. Every distinct state is
judged once, and verdicts are kept, so that an interrupted regrade goes on where it stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.collection.gating import is_qualified
from harness.collection.regraded_event import Ending, Rules, Step, regraded_event
from harness.doctor import require_sandbox
from harness.engines.factory import default_workers
from harness.engines.local import LocalEngine
from harness.environment import host_environment
from harness.errors import InputError
from harness.judging import Batch, BatchResult, Judged, State
from harness.paths import state_dir
from harness.protocol.schema import Protocol
from harness.store.blobs import BlobError, Blobs
from harness.store.records import StageRecord
from harness.store.regrades import RecordedTry, Regrade, Regraded
from harness.store.store import Store
from harness.workspace.workspace import sweep_work
from tasks.interface import Task
from tasks.registry import load_task

#: States that travel to a worker together at most.
_BATCH = 16

#: A state among all of a stage: task, base, verdict key.
_Key = tuple[str, str | None, str]


class Interrupted(Exception):
    """The user asked to stop; the verdicts made so far are kept."""


@dataclass(frozen=True)
class Options:
    """What ``regrade`` was asked to do."""

    stage: str
    database: str | Path
    runtimes: tuple[str, ...] = ()
    """Only these; empty for all."""
    tasks: tuple[str, ...] = ()
    """Only these; empty for all."""
    workers: int | None = None
    """States judged at once; None: the number of cores."""


@dataclass(frozen=True)
class Problem:
    """Why a try could not be regraded."""

    attempt: str
    reason: str
    detail: str


@dataclass
class Outcome:
    """What a regrade found; ``regrade`` is its record."""

    regrade: Regrade
    tries: list[RecordedTry]
    regraded: dict[int, Regraded]
    """By try id."""
    tasks: dict[str, Counter[str]] = field(default_factory=dict)
    """By task: distinct ``states``, those ``judged`` anew, those ``cached``."""
    problems: list[Problem] = field(default_factory=list)


class View:
    """Who is told of the progress; this one says nothing."""

    def begin(self, states: int, tries: int) -> None:
        """Before the first state is judged."""

    def warn(self, text: str) -> None:
        """Something that a person should know of."""

    def judged(self, done: int, cached: int) -> None:
        """So many states are done, so many of them without a run of the tests."""


class Regrading:
    """One run of ``regrade``. ``stop`` may be called from a signal handler."""

    def __init__(self, options: Options, view: View):
        self._options, self._view, self._stopping = options, view, False
        self._blobs = Blobs(state_dir() / "blobs")

    def stop(self) -> None:
        """Asks for the end; nothing is recorded, and the verdicts made so far are kept."""
        self._stopping = True

    def run(self) -> Outcome:
        """Judges all states and records the regrade.

        Raises:
            InputError: nothing to regrade, an unknown task ...; nothing was written.
            Interrupted: after ``stop``.
        """
        options = self._options
        with Store.open(options.database, create=False) as store:
            record = _registered(store, options.stage)
            tries = store.recorded_tries(options.stage, options.tasks or None, options.runtimes or None)
            _require_states(tries, store, options)
            protocol = Protocol.model_validate(record.protocol["protocol"])
            if protocol.planning:
                raise InputError(
                    "answers to planning tasks have no workspace states to judge", file="STAGE", key=options.stage,
                    mend="name a stage whose attempts work in one",
                )  # fmt: skip
            kind = protocol.sandbox.kind
            require_sandbox(kind)
            tasks = {name: load_task(name) for name in dict.fromkeys(one.attempt.task for one in tries)}
            for name, task in tasks.items():
                if not is_qualified(store, task, kind):
                    self._view.warn(
                        f"{name} as it is now has no record of a passed gate on this machine: restartlab gate {name}"
                    )
            try:
                judged, verifiers = self._judge(tries, tasks, kind)
            finally:
                sweep_work()  # what killed workers leave
            rules = Rules(protocol.verification.after_pass, protocol.verification.on_unverified_submit)
            problems: list[Problem] = []
            results = [self._regraded(one, judged, rules, problems) for one in tries]
            regrade = store.put_regrade(
                options.stage, record.digest,
                {"tasks": list(options.tasks) or None, "runtimes": list(options.runtimes) or None},
                {name: _verifier_facts(store, tasks[name], kind, tries, verifiers.get(name)) for name in tasks},
                host_environment(), results,
            )  # fmt: skip
        counts = {name: _counts(name, judged) for name in tasks}
        return Outcome(regrade, tries, {one.try_id: one for one in results}, counts, problems)

    def _judge(
        self, tries: Sequence[RecordedTry], tasks: Mapping[str, Task], kind: str
    ) -> tuple[dict[_Key, Judged], dict[str, str]]:
        """What the verifiers say of every distinct state now; and the digests of the verifiers, by task."""
        states = _distinct(tries)
        workers = self._options.workers or default_workers()
        waiting = list(_batches(states, tasks, kind, workers))
        judged: dict[_Key, Judged] = {}
        verifiers: dict[str, str] = {}
        self._view.begin(len(states), len(tries))
        with LocalEngine(workers) as engine:
            while waiting or engine.running:
                while waiting and engine.free:
                    batch = waiting.pop(0)
                    engine.submit(batch, ("judge", batch))
                for answer in engine.answers(0.5):
                    batch = answer.key
                    if answer.failure is None:
                        result: BatchResult = answer.result
                        if result.verifier:
                            verifiers[batch.task] = result.verifier
                        judged |= {(batch.task, one.base, one.key): one for one in result.judged}
                    elif len(batch.states) > 1:  # which of them was it?
                        waiting += [Batch(batch.task, batch.task_digest, kind, (state,)) for state in batch.states]
                    else:
                        (state,) = batch.states
                        why = answer.failure.detail.strip().splitlines()[-1:]  # of a traceback, the error
                        judged[batch.task, state.base, state.key] = Judged(
                            state.key, state.base, None, problem=answer.failure.reason, detail="".join(why)
                        )
                self._view.judged(len(judged), sum(one.cached for one in judged.values()))
                if self._stopping:
                    raise Interrupted
        return judged, verifiers

    def _regraded(
        self, one: RecordedTry, judged: Mapping[_Key, Judged], rules: Rules, problems: list[Problem]
    ) -> Regraded:
        """One try's event by the new verdicts."""
        found = [(step, judged.get((one.attempt.task, one.base, step.verdict_key or ""))) for step in one.steps]
        verdicts = tuple(
            (step.call, step.action, new.key, new.verdict) for step, new in found if new and new.verdict is not None
        )

        def unknown(reason: str, detail: str) -> Regraded:
            problems.append(Problem(one.attempt.id, reason, detail))
            return Regraded(one.id, None, reason, verdicts)

        if one.trajectory is None:
            return unknown("no_state", "it was imported, without the workspace states that it left")
        for step, new in found:
            if new is None:
                return unknown("no_state", f"the state after call {step.call} was not recorded")
            if new.verdict is None:
                return unknown(new.problem, f"the state after call {step.call}: {new.detail}")
        before = [step.verdict_state == "pass" for step in one.steps]
        steps = [Step(call, action, state == "pass") for call, action, _, state in verdicts]
        try:
            event = regraded_event(one.event, one.calls, before, steps, rules, lambda: self._ending(one))
        except BlobError as error:
            return unknown("trajectory_lost", str(error))
        return Regraded(one.id, event, None, verdicts)

    def _ending(self, one: RecordedTry) -> Ending:
        return Ending.of(self._blobs.get(one.trajectory or ""))


def _registered(store: Store, stage: str) -> StageRecord:
    record = store.stage(stage)
    if record is None:
        raise InputError(
            f"the database holds nothing of stage {stage!r}",
            mend=f"restartlab collect {stage}, or name another database",
        )
    return record


def _require_states(tries: Sequence[RecordedTry], store: Store, options: Options) -> None:
    """Raises ``InputError`` when there is nothing to regrade, or a named task or runtime is not in the stage."""
    planned = store.attempts(options.stage)
    for option, wanted, known in (
        ("--task", options.tasks, {one.task for one in planned}),
        ("--runtime", options.runtimes, {one.runtime for one in planned}),
    ):
        for name in wanted:
            if name not in known:
                mend = f"name one of: {', '.join(sorted(known)) or 'none'}"
                raise InputError(f"{name!r} has no attempts of {options.stage}", file=option, mend=mend)
    if not tries:
        raise InputError(
            "no attempt has finished yet", file="STAGE", key=options.stage, mend=f"restartlab collect {options.stage}"
        )
    if all(one.trajectory is None for one in tries):
        raise InputError(
            "an imported event table has no workspace states to judge", file="STAGE", key=options.stage,
            mend="regrade where the attempts were collected",
        )  # fmt: skip


def _distinct(tries: Sequence[RecordedTry]) -> dict[_Key, tuple[str, ...]]:
    """The distinct states, and the layers that hold each."""
    found: dict[_Key, dict[str, None]] = {}
    for one in tries:
        for step in one.steps:
            if step.verdict_key and step.layer_digest:
                found.setdefault((one.attempt.task, one.base, step.verdict_key), {})[step.layer_digest] = None
    return {key: tuple(layers) for key, layers in found.items()}


def _batches(
    states: Mapping[_Key, tuple[str, ...]], tasks: Mapping[str, Task], kind: str, workers: int
) -> Iterator[Batch]:
    """Jobs for the workers, task by task; small ones where there is little to do."""
    size = max(1, min(_BATCH, len(states) // (4 * workers)))
    for name, task in tasks.items():
        mine = [State(key, layers, base) for (of, base, key), layers in states.items() if of == name]
        for start in range(0, len(mine), size):
            yield Batch(name, task.digest, kind, tuple(mine[start : start + size]))


def _counts(task: str, judged: Mapping[_Key, Judged]) -> Counter[str]:
    mine = [one for key, one in judged.items() if key[0] == task]
    return Counter(
        states=len(mine), cached=sum(one.cached for one in mine),
        judged=sum(one.verdict is not None and not one.cached for one in mine),
    )  # fmt: skip


def _verifier_facts(
    store: Store, task: Task, kind: str, tries: Sequence[RecordedTry], verifier: str | None
) -> dict[str, Any]:
    before = {one.verifier for one in tries if one.attempt.task == task.id and one.verifier}
    return {
        "verifier": verifier, "before": sorted(before), "task_digest": task.digest,
        "qualified": is_qualified(store, task, kind),
    }  # fmt: skip
