"""What the arms of a monitor stage do, once its thresholds are frozen; and while they are not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from harness.monitors.catalogue import Spec, make_monitor
from harness.monitors.interface import AskingMonitor
from harness.protocol.intervention import Alarm
from harness.protocol.monitor import BASELINE, CONTINUATION, FIXED_TIME, MONITOR, MonitorPlan
from harness.protocol.schema import Arm, Protocol


def armed(protocol: Protocol, thresholds: Mapping[str, float | None] | None) -> Protocol:
    """The protocol with the triggers of its arms filled in; it is run, never digested.

    Args:
        thresholds: by arm, None for one that never alarms; no mapping while they are not frozen: then only
            ``continuation`` can be run.
    """
    plan = protocol.monitor
    if plan is None:
        return protocol
    arms = {CONTINUATION: _watched(plan)}
    for arm, name, params in ((FIXED_TIME, BASELINE, {}), (MONITOR, plan.monitor, plan.params)):
        if thresholds is not None:
            arms[arm] = _acting(plan, arm, name, params, thresholds[arm])
    return protocol.model_copy(update={"arms": list(arms.values())})


def spec_of(plan: MonitorPlan, arm: str) -> Spec:
    """The monitor of an arm."""
    return Spec(BASELINE, {}) if arm == FIXED_TIME else Spec(plan.monitor, plan.params)


def _watched(plan: MonitorPlan) -> Arm:
    """Nothing is done; a monitor that asks is listened to, so that it can be scored on these attempts."""
    if not isinstance(make_monitor(spec_of(plan, MONITOR), "monitor.monitor"), AskingMonitor):
        return Arm(name=CONTINUATION)
    alarm = Alarm(kind="alarm", monitor=plan.monitor, threshold=_NEVER, params=dict(plan.params), shadow=True)
    return Arm(name=CONTINUATION, action=plan.action, trigger=alarm)


def _acting(plan: MonitorPlan, arm: str, name: str, params: Mapping[str, Any], threshold: float | None) -> Arm:
    if threshold is None or not math.isfinite(threshold):
        return Arm(name=arm)
    alarm = Alarm(kind="alarm", monitor=name, threshold=threshold, params=dict(params))
    return Arm(name=arm, action=plan.action, trigger=alarm, most=1)


#: A threshold above all scores; a protocol holds finite numbers only.
_NEVER = 1e300
