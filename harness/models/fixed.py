"""Agents with a fixed script: the oracle repairs the task at once, nop gives up at once."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from harness.models.patches import task_patches
from harness.models.replies import SUBMISSION, Reply, ReplyConfig, ReplyModel, acting
from tasks.interface import RepairTask


class OracleModel(ReplyModel):
    """Reads the task's main file, applies the reference repair, then submits. Ignores seed and horizon."""

    def __init__(
        self, task: RepairTask, *, seed: int, horizon: int, observation_template: str, format_error_template: str
    ):
        reference = task_patches(task).valid[0]
        main_file = task.explore.files[0]

        def replies() -> Iterator[Reply]:
            yield acting("I read the file that the issue is about.", f"sed -n '1,200p' {shlex.quote(main_file)}")
            yield acting("I apply the repair.", reference.apply)
            while True:
                yield acting("The repair is in place, so I submit it.", f"{SUBMISSION} && git diff")

        config = ReplyConfig(
            model_name="oracle", observation_template=observation_template,
            format_error_template=format_error_template, seed=str(seed), horizon=horizon,
        )
        super().__init__(config, replies())


class NopModel(ReplyModel):
    """Looks at the repository once, then submits it unchanged. Ignores task, seed and horizon."""

    def __init__(
        self, task: RepairTask, *, seed: int, horizon: int, observation_template: str, format_error_template: str
    ):
        def replies() -> Iterator[Reply]:
            yield acting("I look at the state of the repository.", "git status --short")
            while True:
                yield acting("I submit the repository as it is.", SUBMISSION)

        config = ReplyConfig(
            model_name="nop", observation_template=observation_template,
            format_error_template=format_error_template, seed=str(seed), horizon=horizon,
        )
        super().__init__(config, replies())
