"""Chooses the states of a checkpoint stage by its frozen rule, and freezes each that can be put back exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from harness.canonical import canonical_json
from harness.checkpoints.states import State, state_after
from harness.errors import Incomplete, InputError
from harness.layer_store import LayerStore
from harness.paths import state_dir
from harness.protocol.checkpoint import CheckpointPlan, EndOfFailed, LiveAt, OnAlarm, Select
from harness.protocol.freeze import FrozenStage
from harness.recorder import read_trajectory
from harness.store.blobs import BlobError, Blobs
from harness.store.checkpoints import Checkpoint, CheckpointSet
from harness.store.regrades import RecordedTry
from harness.store.store import Store
from harness.workspace.workspace import Workspace
from tasks.interface import Task
from verifiers.kinds import prepare_place
from verifiers.place import Place


def freeze_checkpoints(store: Store, stage: FrozenStage, runtime: str) -> CheckpointSet:
    """The checkpoints of a runtime, chosen and recorded; those that are recorded already, if they are.

    Raises:
        InputError: the source is not there, or its tasks are not this stage's.
        Incomplete: attempts of the source are not finished; nothing is recorded.
    """
    protocol = stage.protocol
    known = store.checkpoints(protocol.stage, stage.digest, runtime)
    if known is not None:
        return known
    chosen = _Choosing(store, stage, runtime).run()
    store.put_checkpoints(protocol.stage, stage.digest, chosen)
    return chosen


def chosen_call(
    rule: Select, one: RecordedTry, lines: Callable[[], Iterable[Mapping[str, Any]]]
) -> int | None:  # fmt: skip
    """The call after which a rule takes the state of a try; None: it takes none.

    Args:
        lines: reads the try's trajectory, for the rules that look into it.
    """
    match rule:
        case EndOfFailed(reasons=reasons):
            failed = one.event.event != "verified" and (reasons is None or one.event.reason in reasons)
            return one.calls if failed else None
        case LiveAt(call=call):
            return call if one.event.call > call else None
        case OnAlarm():
            return _first_alarm(rule, one, lines())


def _first_alarm(rule: OnAlarm, one: RecordedTry, lines: Iterable[Mapping[str, Any]]) -> int | None:
    from harness.monitors.catalogue import Spec
    from harness.monitors.scoring import scored

    for reading in scored(Spec(rule.monitor, rule.params), lines, one.attempt.id[:12]):
        if reading.call >= one.event.call:
            return None
        if reading.score is not None and reading.score >= rule.threshold:
            return reading.call
    return None


class _Refused(Exception):
    """A state that is not frozen."""


class _Choosing:
    def __init__(self, store: Store, stage: FrozenStage, runtime: str):
        assert stage.protocol.checkpoint is not None
        self._store, self._stage, self._runtime = store, stage, runtime
        self._plan: CheckpointPlan = stage.protocol.checkpoint
        self._blobs = Blobs(state_dir() / "blobs")
        self._layers = LayerStore(self._blobs)
        self._places: dict[str, Place] = {}

    def run(self) -> CheckpointSet:
        taken: list[Checkpoint] = []
        refused: list[dict[str, Any]] = []
        per_task: Counter[str] = Counter()
        for one in self._tries():
            task = one.attempt.task
            if per_task[task] >= self._plan.most_per_task:
                continue
            call = None
            try:
                call = chosen_call(self._plan.select, one, partial(self._lines, one))
                if call is None:
                    continue
                taken.append(self._frozen(one, call))
                per_task[task] += 1
            except _Refused as why:
                refused.append({"task": task, "attempt": one.attempt.id, "call": call, "why": str(why)})
        return CheckpointSet(self._runtime, tuple(taken), tuple(refused))

    def _tries(self) -> Iterator[RecordedTry]:
        """Counted tries of the source, in the order of this stage's tasks, by repeat."""
        source, protocol = self._plan.source, self._stage.protocol
        record = self._store.stage(source.stage)
        if record is None:
            raise InputError(
                f"the states come from the stage {source.stage}, of which nothing is here", key="checkpoint.source",
                mend=f"restartlab collect {source.stage}",
            )  # fmt: skip
        self._source_digest = record.digest
        _require_same_tasks(record.protocol, self._stage.tasks, source.stage)
        runtime = source.runtime or self._runtime
        tries = self._store.recorded_tries(source.stage, protocol.tasks, [runtime])
        tries = [one for one in tries if source.arm in (None, one.attempt.arm)]
        if not tries:
            raise InputError(
                f"{source.stage} holds no counted attempt of runtime {runtime} at these tasks", key="checkpoint.source",
                mend=f"restartlab collect {source.stage} --runtime {runtime}",
            )  # fmt: skip
        left = self._store.attempts_to_run(source.stage, runtimes=[runtime], tasks=protocol.tasks)
        left = [state for state in left if state.attempt.origin != "imported"]
        if left:
            raise Incomplete(
                f"{len(left)} attempts of {source.stage} are not finished, and the rule chooses among all of them: "
                f"restartlab collect {source.stage} --runtime {runtime}"
            )
        order = {task: number for number, task in enumerate(protocol.tasks)}
        return iter(sorted(tries, key=lambda one: (order[one.attempt.task], one.attempt.repeat, one.attempt.arm)))

    def _lines(self, one: RecordedTry) -> Iterator[Mapping[str, Any]]:
        if one.trajectory is None:
            raise _Refused("it has no trajectory (an imported event table holds no states)")
        try:
            return read_trajectory(self._blobs.get(one.trajectory))
        except BlobError as error:
            raise _Refused(str(error)) from None

    def _frozen(self, one: RecordedTry, call: int) -> Checkpoint:
        if self._plan.budget is not None and call >= self._plan.budget:
            raise _Refused(f"call {call} leaves nothing of the budget of {self._plan.budget}")
        state = state_after(self._lines(one), call)
        if state.call != call:
            raise _Refused(f"its trajectory ends at call {state.call}, before call {call}")
        if state.verdict == "pass":
            raise _Refused("it passes")
        if state.messages is None and any(action.context == "keep" for action in self._plan.actions):
            raise _Refused("its conversation was not recorded, and an action goes on with it")
        place = self._place(one.attempt.task)
        if one.base != place.base.digest:
            raise _Refused(f"it lies on base {str(one.base)[:12]}, not on {place.base.digest[:12]}")
        self._try_out(state, place)
        messages = None if state.messages is None else self._blobs.put(canonical_json(state.messages))
        return Checkpoint(
            task=one.attempt.task, base=place.base.digest, call=call, layer=state.layer, scratch=state.scratch,
            messages=messages, malformed=state.malformed, source=one.attempt.id,
            provenance=self._provenance(one, state),
        )  # fmt: skip

    def _try_out(self, state: State, place: Place) -> None:
        """Puts the state back once: what cannot be put back exactly is not frozen."""
        try:
            with Workspace(place.base) as workspace:
                scratch = {name: self._layers.layer(digest) for name, digest in (state.scratch or {}).items()}
                workspace.put_back(self._layers.layer(state.layer), scratch, self._blobs.get)
        except (InputError, BlobError) as error:
            what = error.what if isinstance(error, InputError) else str(error)
            raise _Refused(what) from None

    def _place(self, task: str) -> Place:
        if task not in self._places:
            self._places[task] = prepare_place(self._stage.tasks[task], self._stage.protocol.sandbox.kind)
        return self._places[task]

    def _provenance(self, one: RecordedTry, state: State) -> dict[str, Any]:
        attempt, event = one.attempt, one.event
        known = {name: held for name, held in state.obligations.items() if held is not None}
        return {
            "stage": attempt.stage, "digest": self._source_digest, "runtime": attempt.runtime, "arm": attempt.arm,
            "repeat": attempt.repeat, "try": one.number, "origin": attempt.origin, "trajectory": one.trajectory,
            "event": event.event, "event_call": event.call, "reason": event.reason,
            "status": "ended" if state.call >= event.call else "live", "verdict": state.verdict,
            "obligations_met": sum(known.values()), "obligations": len(state.obligations), "actions": state.actions,
            "changed_at": state.changed_at, "changed_files": len(self._layers.layer(state.layer).candidate.manifest),
            "scratch_kept": state.scratch is not None,
        }  # fmt: skip


def _require_same_tasks(recorded: Any, tasks: Mapping[str, Task], stage: str) -> None:
    """A state is judged by this stage's tasks: they must be what the source's attempts worked on."""
    held = recorded.get("tasks") if isinstance(recorded, Mapping) else None
    for name, task in tasks.items():
        if isinstance(held, Mapping) and name in held and dict(held[name]) != dict(task.parts):
            changed = [key for key in task.parts if dict(held[name]).get(key) != task.parts[key]]
            raise InputError(
                f"{name} is not what {stage} was collected with: {', '.join(changed)} changed", key="tasks",
                mend=f"collect {stage} anew under another name, or restore the task",
            )  # fmt: skip

