"""Gates the tasks of a stage that have no record of qualification on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from harness.engines.local import LocalEngine
from harness.sandbox.bubblewrap import BubblewrapSandbox
from harness.sandbox.interpreter import choose
from harness.store.store import Store
from tasks.package import TaskPackage
from tasks.sdist import known_base_digest
from verifiers.gate import GateResult


@dataclass(frozen=True)
class Gated:
    """What came of a task's gate; ``result`` is None when it could not be run."""

    task: str
    result: GateResult | None
    problem: str = ""

    @property
    def qualified(self) -> bool:
        return self.result is not None and self.result.qualified

    @property
    def complaint(self) -> str:
        """Why the task may not be collected, empty when it may."""
        if self.result is None:
            return self.problem
        return "; ".join(self.result.complaints())


def is_qualified(store: Store, task: TaskPackage) -> bool:
    """Whether this machine has a record that ``task``, as it is, is qualified."""
    python = choose(task.spec.pythons)
    base = known_base_digest(task)
    if base is None:
        return False
    found = store.qualification(task.id, task.digest, python.full_version, base, BubblewrapSandbox.kind)
    return found is not None and found.qualified


def run_gates(
    engine: LocalEngine, store: Store, tasks: Sequence[str], on_done: Callable[[Gated], None], tick: Callable[[], None]
) -> list[Gated]:
    """Gates ``tasks`` in the engine's workers and records each result."""
    waiting, done = list(tasks), []
    while waiting or engine.running:
        while waiting and engine.free:
            task = waiting.pop(0)
            engine.submit(task, ("gate", task))
        for answer in engine.answers(0.5):
            if answer.ok:
                result: GateResult = answer.result
                store.put_qualification(
                    result.task, result.task_digest, result.python, result.base_digest, result.sandbox,
                    result.qualified, {**result.data(), "verdicts": result.verdicts, "seconds": result.seconds},
                )  # fmt: skip
                gated = Gated(result.task, result)
            else:
                gated = Gated(answer.key, None, "the worker was killed" if answer.lost else str(answer.result))
            done.append(gated)
            on_done(gated)
        tick()
    return done


def gate_missing(
    engine: LocalEngine,
    store: Store,
    tasks: Mapping[str, TaskPackage],
    on_start: Callable[[list[str]], None],
    on_done: Callable[[Gated], None],
    tick: Callable[[], None],
) -> dict[str, str]:
    """Gates what has no record here; the tasks that may not be collected, with why."""
    missing = [name for name, task in tasks.items() if not is_qualified(store, task)]
    if missing:
        on_start(missing)
    return {
        gated.task: gated.complaint for gated in run_gates(engine, store, missing, on_done, tick) if not gated.qualified
    }
