"""What a worker is given to execute a record again, and the rules that all attempts of a stage share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.canonical import digest_json
from harness.importers.record import Record
from harness.store.records import Attempt

#: A command may take this many times what the recorded run allowed: machines differ in speed.
TIME_FACTOR = 3.0
#: Raise when re-execution changes in a way that changes results.
_RECIPE = 1


@dataclass(frozen=True)
class Rules:
    """What all attempts of an imported stage have in common."""

    stage: str
    min_fidelity: float = 0.8
    """Least share of return codes (of masked outputs, where the format keeps none) that must match."""
    sandbox: str = "bubblewrap"
    time_factor: float = TIME_FACTOR
    memory_mb: int = 4096
    disk_mb: int = 2048

    def protocol(self) -> dict[str, Any]:
        """What the stage is registered with."""
        return {
            "stage": self.stage, "kind": "imported", "re_executed": True, "recipe": _RECIPE,
            "sandbox": {"kind": self.sandbox, "network": False}, "min_fidelity": self.min_fidelity,
            "limits": {"time_factor": self.time_factor, "memory_mb": self.memory_mb, "disk_mb": self.disk_mb},
            "verification": {"after_pass": "continue"},
        }  # fmt: skip

    @property
    def digest(self) -> str:
        """Of all of it: other rules need another stage."""
        return digest_json(self.protocol())


@dataclass(frozen=True)
class Job:
    """A record to execute; plain data that travels to a worker."""

    rules: Rules
    attempt: Attempt
    task_digest: str
    record: Record
    trajectory: Path
