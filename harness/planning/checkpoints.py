"""What a checkpoint of a planning stage must be: a plan that failed."""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import InputError
from harness.protocol.schema import Protocol
from tasks.interface import Task
from tasks.planning.task import PlanningTask
from verifiers.planning import judge_answer


def require_failed_answers(protocol: Protocol, tasks: Mapping[str, Task]) -> None:
    """Raises ``InputError`` for the first answer that holds no plan, or an optimal one; nothing of other stages."""
    for name, answer in (protocol.planning.answers if protocol.planning else {}).items():
        task = tasks[name]
        assert isinstance(task, PlanningTask)
        verdict = judge_answer(task.instance, answer)
        if verdict.state in ("malformed", "optimal"):
            what = f"holds no plan: {verdict.detail}" if verdict.state == "malformed" else "is optimal already"
            raise InputError(
                f"the first answer {what}", file=f"{protocol.stage}.yaml", key=f"planning.answers.{name}",
                mend="give an answer that is a plan and not an optimal one",
            )  # fmt: skip
