"""Labels on everything this project makes in an engine: whose it is, and which process holds it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from harness.canonical import digest_json
from harness.paths import state_dir
from harness.process import boot_id, start_ticks

OWNER = "restartlab.owner"
_PROCESS = ("restartlab.boot", "restartlab.pid-namespace", "restartlab.pid", "restartlab.started")


def owner() -> str:
    """Stands for this state directory: two checkouts on one engine never touch each other's containers."""
    return digest_json({"state": str(state_dir().resolve())})[:16]


def _process() -> tuple[str, ...]:
    pid = os.getpid()
    return boot_id(), os.readlink("/proc/self/ns/pid"), str(pid), str(start_ticks(pid))


def own_labels() -> dict[str, str]:
    """Labels of what this process makes."""
    return {OWNER: owner(), **dict(zip(_PROCESS, _process(), strict=True))}


def is_orphan(labels: Mapping[str, str]) -> bool:
    """Whether labels are of this state directory, and the process that they name has ended."""
    if labels.get(OWNER) != owner():
        return False
    boot, namespace, pid, started = (labels.get(name, "") for name in _PROCESS)
    if boot != boot_id():
        return True
    if namespace != os.readlink("/proc/self/ns/pid"):
        return False  # another container's process cannot be seen from here
    return not pid.isdigit() or str(start_ticks(int(pid))) != started
