"""Agents that act on recovery tasks with declared behaviours: commands of a script, one each call, then submission."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.errors import InputError
from harness.models.replies import SUBMISSION, Reply, ReplyConfig, ReplyModel, acting
from harness.protocol.models import Runtime
from tasks.interface import Task
from tasks.recovery.task import RecoveryTask

_LOOK = ("ls -l; tail -n 5 log/*.log",)


class BehaviourModel(ReplyModel):
    """Runs ``script``, then submits. It reads nothing and never learns a verdict."""

    def __init__(
        self, name: str, script: Sequence[str], *, seed: int, horizon: int, observation_template: str,
        format_error_template: str,
    ):  # fmt: skip
        def replies() -> Iterator[Reply]:
            for command in script:
                yield acting("I go on.", command)
            while True:
                yield acting("I think this is finished, so I submit.", SUBMISSION)

        config = ReplyConfig(
            model_name=name, observation_template=observation_template, format_error_template=format_error_template,
            seed=str(seed), horizon=horizon,
        )
        super().__init__(config, replies())


def behaviour_model(runtime: Runtime, task: Task, common: dict[str, Any]) -> BehaviourModel:
    """The model of ``runtime`` on a recovery task; raises ``InputError`` where it cannot act on ``task``."""
    if not isinstance(task, RecoveryTask):
        raise InputError(
            f"the {runtime.agent} agent cannot act on {task.id}: a {task.kind} task has no behaviours",
            mend="choose another runtime, or recovery tasks",
        )
    if runtime.agent == "nop":
        return BehaviourModel("nop", _LOOK, **common)
    name = "careful" if runtime.agent == "oracle" else str(runtime.behaviour)
    return BehaviourModel(name, task.behaviour(name), **common)
