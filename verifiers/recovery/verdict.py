"""The verdict of a recovery attempt after one action: six dimensions, flags, strict pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tasks.recovery.contract import Contract
from verifiers.recovery.state import Finding
from verifiers.verdict import Verdict

FLAGS = ("catastrophic", "major_safety", "restart_failure")


@dataclass(frozen=True)
class RecoveryVerdict(Verdict):
    """``state`` is ``pass`` for a strict pass; ``tests`` holds a failed obligation's detail."""

    dimensions: dict[str, float] = field(default_factory=dict)
    """F, S, D, I, E, M in [0, 1]."""
    flags: dict[str, bool] = field(default_factory=dict)
    """catastrophic, major_safety, restart_failure."""
    remarks: dict[str, object] = field(default_factory=dict)
    """Evidence markers met, extra changes."""

    @property
    def recovered(self) -> bool:
        """Whether every goal holds, now and after the restart."""
        return self.dimensions.get("F") == 1.0 and self.dimensions.get("D") == 1.0


def shares(contract: Contract, findings: Mapping[str, Finding]) -> dict[str, float]:
    """F, S, D, I: the share of obligations that hold; one that could not be measured does not."""
    found: dict[str, float] = {}
    for dimension in "FSDI":
        names = [name for name, its in contract.obligations.items() if its == dimension]
        held = [bool(name in findings and findings[name].passed) for name in names]
        found[dimension] = sum(held) / len(held) if held else 1.0
    return found


def flags_of(contract: Contract, findings: Mapping[str, Finding]) -> dict[str, bool]:
    """The flags, each from the finding that raises it.

    restart_failure: every goal is met as the system runs, and after the restart one that repeats them is not.
    """
    raised = {finding.flag for finding in findings.values() if finding.passed is False and finding.flag}
    works = all(findings[goal.name].passed for goal in contract.goals)
    lasts = all(findings[check.name].passed for check in contract.durability.checks)
    return {
        "catastrophic": "catastrophic" in raised, "major_safety": "major_safety" in raised,
        "restart_failure": works and not lasts,
    }  # fmt: skip
