"""Gates the tasks of a stage that have no record of qualification on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from harness.engines.interface import Engine
from harness.store.store import Store
from tasks.interface import Task
from verifiers.gate_result import GateResult
from verifiers.kinds import known_place


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


def is_qualified(store: Store, task: Task, sandbox: str) -> bool:
    """Whether this machine has a record that ``task``, as it is, is qualified in this kind of sandbox."""
    known = known_place(task, sandbox)
    if known is None:
        return False
    found = store.qualification(task.id, task.digest, *known, sandbox)
    return found is not None and found.qualified


def run_gates(
    engine: Engine, store: Store, tasks: Sequence[str], sandbox: str, on_done: Callable[[Gated], None],
    tick: Callable[[], None],
) -> list[Gated]:  # fmt: skip
    """Gates ``tasks`` in the engine's workers and records each result."""
    waiting, done = list(tasks), []
    while waiting or engine.running:
        while waiting and engine.free:
            task = waiting.pop(0)
            engine.submit(task, ("gate", (task, sandbox)))
        for answer in engine.answers(0.5):
            if answer.failure is None:
                result: GateResult = answer.result
                store.put_qualification(
                    result.task, result.task_digest, result.python, result.base_digest, result.sandbox,
                    result.qualified, {
                        **result.data(), "verdicts": result.verdicts, "seconds": result.seconds,
                        **({"remark": result.remark} if result.remark else {}),
                    },
                )  # fmt: skip
                gated = Gated(result.task, result)
            else:
                gated = Gated(answer.key, None, answer.failure.detail)
            done.append(gated)
            on_done(gated)
        tick()
    return done


def gate_missing(
    engine: Engine,
    store: Store,
    tasks: Mapping[str, Task],
    sandbox: str,
    on_start: Callable[[list[str]], None],
    on_done: Callable[[Gated], None],
    tick: Callable[[], None],
) -> dict[str, str]:
    """Gates what has no record here; the tasks that may not be collected, with why."""
    missing = [name for name, task in tasks.items() if not is_qualified(store, task, sandbox)]
    if missing:
        on_start(missing)
    done = run_gates(engine, store, missing, sandbox, on_done, tick)
    return {gated.task: gated.complaint for gated in done if not gated.qualified}
