"""Rules of a monitor stage: calibration apart from held-out tasks, the three arms, an action of known value."""

from __future__ import annotations

from collections.abc import Iterator

from harness import plugins
from harness.protocol.broken import Broken
from harness.protocol.monitor import ARMS, MonitorPlan
from harness.protocol.schema import Protocol


def broken_monitor(protocol: Protocol) -> Iterator[Broken]:
    """Every broken rule of the ``monitor`` section."""
    plan, wanted = protocol.monitor, protocol.kind == "monitor"
    if wanted != (plan is not None):
        mend = "describe the monitor and its calibration" if wanted else "delete the section, or set kind: monitor"
        yield Broken("monitor", "is missing" if wanted else f"is not of kind {protocol.kind}", mend)
    if plan is not None and wanted:
        yield from _tasks(protocol, plan)
        yield from _rest(protocol, plan)


def _tasks(protocol: Protocol, plan: MonitorPlan) -> Iterator[Broken]:
    for task in sorted(set(plan.calibration)):
        if task not in protocol.tasks:
            yield Broken("monitor.calibration", f"{task!r} is not a task of the stage", "add it to tasks")
        if plan.calibration.count(task) > 1:
            yield Broken("monitor.calibration", f"{task!r} is listed twice", "list it once")
    if set(protocol.tasks) <= set(plan.calibration):
        what = "holds every task of the stage: the threshold would be judged on the tasks that it was chosen on"
        yield Broken("monitor.calibration", what, "leave tasks out of it, which are then held out")


def _rest(protocol: Protocol, plan: MonitorPlan) -> Iterator[Broken]:
    if [arm.name for arm in protocol.arms] != list(ARMS) or any(arm.action or arm.trigger for arm in protocol.arms):
        mend = f"set arms: [{', '.join(f'{{name: {name}}}' for name in ARMS)}]"
        yield Broken("arms", "are not those of a monitor stage, which takes actions and triggers from monitor", mend)
    if unknown := plugins.unknown("monitors", plan.monitor):
        yield Broken("monitor.monitor", f"unknown monitor {plan.monitor!r}", unknown)
    if (plan.action.workspace, plan.action.context) != ("reset", "reset"):
        what = "keeps something, so fresh attempts do not tell what it is worth, and largest-gain reads that off them"
        yield Broken("monitor.action", what, "set workspace: reset and context: reset")
    for name, runtime in protocol.runtimes.items():
        if runtime.agent not in plugins.BUILT_IN["agents"]:
            what = f"agent {runtime.agent!r} has a loop of its own, in which nobody can intervene"
            yield Broken(f"runtimes.{name}.agent", what, "take the runtime out")
    if protocol.analysis and protocol.analysis.budget != protocol.horizon:
        what = f"{protocol.analysis.budget} is not the horizon {protocol.horizon}, which the arms spend"
        yield Broken("analysis.budget", what, f"set budget: {protocol.horizon}")
