"""What a task's gate saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from verifiers.verdict import JUDGED


@dataclass
class GateResult:
    """What the gate saw."""

    task: str
    task_digest: str
    family: str
    python: str
    base_digest: str
    sandbox: str
    base: bool
    """The base fails, and by its failing tests only."""
    nop: bool
    """A workspace in which nothing but reading happened fails."""
    reference: bool
    """The reference passes every time."""
    flake_rate: float
    """Share of the reference's evaluations that did not pass."""
    reset: bool
    """A fresh workspace reproduces the base's digest: its layer is empty, and the tree is as it was recorded."""
    mutations: list[dict[str, Any]] = field(default_factory=list)
    alternatives: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    verdicts: dict[str, Any] = field(default_factory=dict)
    """Per case, state and failed tests, for people. Never shown to an agent."""
    remark: str = ""
    """What the gate could not check for want of material."""
    second: dict[str, Any] | None = None
    """What another grader says of base and reference: ``by``, ``agrees``, and ``states`` per case; None: no grader."""

    @property
    def qualified(self) -> bool:
        fine = self.base and self.nop and self.reference and self.reset
        return fine and all(m["rejected"] for m in self.mutations) and all(a["accepted"] for a in self.alternatives)

    def complaints(self) -> list[str]:
        """Why the task is not qualified, in words."""
        base = self.verdicts.get("base", {})
        if base.get("state") not in (None, *JUDGED):
            return [f"the base cannot be judged ({base['state']}: {base['detail']})"]
        said = [] if self.base else ["the base does not fail as its tests declare"]
        said += [] if self.nop else ["an unchanged workspace passes"]
        said += [] if self.reference else [f"the reference failed {self.flake_rate:.0%} of its evaluations"]
        said += [] if self.reset else ["a fresh workspace differs from the base"]
        said += [f"mutation {m['name']} is accepted" for m in self.mutations if not m["rejected"]]
        said += [f"alternative {a['name']} is rejected" for a in self.alternatives if not a["accepted"]]
        return said

    def data(self) -> dict[str, Any]:
        """The documented JSON of one task."""
        return {
            "task": self.task, "family": self.family, "python": self.python, "base": self.base, "nop": self.nop,
            "reference": self.reference, "flake_rate": self.flake_rate, "mutations": self.mutations,
            "alternatives": self.alternatives, "reset": self.reset, "qualified": self.qualified,
            **({"second": self.second} if self.second else {}),
        }  # fmt: skip
