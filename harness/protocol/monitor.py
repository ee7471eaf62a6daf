"""The ``monitor`` section of a stage file: a monitor, how it is calibrated, and what its alarm does."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from harness.protocol.base import Name, NotNegative, Section, TaskId
from harness.protocol.recovery import RecoveryAction

#: Arms of a monitor stage: attempts left alone, a fixed time calibrated like the monitor, the monitor.
CONTINUATION, FIXED_TIME, MONITOR = ARMS = ("continuation", "fixed-time", "monitor")

#: The monitor behind the arm ``fixed-time``.
BASELINE = "fixed-time"


class MonitorPlan(Section):
    """What a monitor stage calibrates and then tests. The threshold is no key: calibration finds and freezes it."""

    calibration: Annotated[list[TaskId], Field(min_length=1)]
    """Tasks of the stage that thresholds are calibrated on; the others are held out."""
    monitor: Name
    """A monitor that comes with the project, or the name of an entry point of ``restartlab.monitors``."""
    params: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Its parameters."""
    action: RecoveryAction
    """What an alarm does, once in an attempt."""
    rule: Literal["largest-gain"]
    """``largest-gain``: of all thresholds the one with the largest gain in success on the calibration attempts, with
    the calls of monitoring charged; of equal ones the highest; no alarm ever if none gains."""
    kappa: NotNegative = 0.0
    """Success that monitoring an attempt is held to cost otherwise, a fraction, charged in calibration and report."""

    def arms_of(self, task: str) -> tuple[str, ...]:
        """The arms in which a task is tried: on calibration tasks nobody acts."""
        return (CONTINUATION,) if task in self.calibration else ARMS
