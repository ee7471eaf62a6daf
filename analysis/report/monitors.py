"""Monitor stages of a study: the test of the monitor, a document per runtime."""

from __future__ import annotations

from typing import Any

from analysis.monitors.study import study_document
from analysis.report.study import Choices, StageInfo


def monitor_stages(info: StageInfo, choices: Choices) -> list[dict[str, Any]]:
    """The document of ``restartlab monitor STAGE --json`` per runtime; of another stage none."""
    return [
        {"stage": info.stage, "runtime": runtime, "origin": tested.origin}
        | study_document(tested, replicates=choices.replicates, seed=choices.seed)
        for runtime, tested in sorted(info.tested.items())
    ]
