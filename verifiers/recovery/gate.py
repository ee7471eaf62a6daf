"""Qualifies a recovery task on this machine: does its verifier tell right repairs from wrong ones, and by what?

The artefact is the map of obligations and mutations: for every wrong repair, which obligations it violates.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.errors import InfrastructureError
from harness.paths import state_dir
from harness.workspace.base import tree_digest
from tasks.recovery.base import build_tree
from tasks.recovery.task import RecoveryTask
from verifiers.gate_result import GateResult
from verifiers.place import Place
from verifiers.recovery.acting import Acted, act
from verifiers.recovery.leaks import leaks
from verifiers.recovery.verdict import FLAGS

#: Resets from which the oracle is judged.
ORACLES = 5
_LOOKS = ("ls -la; cat log/*.log", "for f in etc/*; do echo $f; done")


@dataclass
class RecoveryGate(GateResult):
    """Adds what contracts need to a gate's result."""

    map: dict[str, dict[str, str]] = field(default_factory=dict)
    """By mutation, by obligation: holds, violated, not measured."""
    leaks: list[str] = field(default_factory=list)
    order: bool = False
    """The oracle's verdict is the same before, among and after the mutations."""
    oracle: dict[str, Any] = field(default_factory=dict)
    """Its E and M, which must be 1: it is the careful behaviour."""
    slowest: dict[str, float] = field(default_factory=dict)
    """Seconds of the slowest reset and the slowest verdict."""
    uncovered: list[str] = field(default_factory=list)
    """Obligations that no mutation violates alone."""

    @property
    def qualified(self) -> bool:
        return super().qualified and not self.complaints()

    def complaints(self) -> list[str]:
        said = super().complaints()
        said += [f"mutation {m['name']}: {m['problem']}" for m in self.mutations if m["problem"] and m["rejected"]]
        said += [f"no mutation violates {name} alone" for name in self.uncovered]
        said += [] if self.order else ["the oracle's verdict depends on what ran before"]
        said += [f"the oracle has {name} {value:g}" for name, value in self.oracle.items() if value < 1]
        return said + [f"leak: {leak}" for leak in self.leaks[:5]]

    def data(self) -> dict[str, Any]:
        return super().data() | {
            "map": self.map, "leaks": self.leaks, "order": self.order, "oracle": self.oracle,
            "slowest": self.slowest, "uncovered": self.uncovered,
        }  # fmt: skip


def qualify_recovery(task: RecoveryTask, place: Place) -> RecoveryGate:
    """Runs all checks of a qualification.

    Raises:
        InfrastructureError: the checks could not be run.
    """
    began = time.monotonic()
    result = RecoveryGate(
        task=task.id, task_digest=task.digest, family=task.family, python=place.tools.version,
        base_digest=place.base.digest, sandbox=place.sandbox_kind, base=False, nop=False, reference=False,
        flake_rate=1.0, reset=False,
    )  # fmt: skip
    gate = _Gate(task, place, result)
    result.reset = gate.resets()
    oracles = [gate.run("oracle 1", task.oracle)]
    nop = gate.run("nop", _LOOKS)
    result.nop = result.base = not nop.verdict.passed
    for number, mutation in enumerate(task.contract.mutations):
        gate.mutation(mutation.name)
        if number < ORACLES - 2:
            oracles.append(gate.run(f"oracle {len(oracles) + 1}", task.oracle))
    for name, script in task.alternatives.items():
        accepted = gate.run(f"alternative {name}", script).verdict.passed
        result.alternatives.append({"name": name, "accepted": accepted})
    while len(oracles) < ORACLES:
        oracles.append(gate.run(f"oracle {len(oracles) + 1}", task.oracle))
    passes = [acted.verdict.passed for acted in oracles]
    result.reference, result.flake_rate = all(passes), 1 - sum(passes) / len(passes)
    result.order = len({repr((a.verdict.obligations, a.verdict.dimensions, a.verdict.flags)) for a in oracles}) == 1
    result.oracle = {name: min(a.verdict.dimensions[name] for a in oracles) for name in "EM"}
    result.reset = result.reset and tree_digest(place.base.tree) == place.base.digest
    alone = {next(iter(broken)) for broken in gate.violated.values() if len(broken) == 1}
    result.uncovered = [name for name in task.contract.obligations if name not in alone]
    result.leaks = leaks(task, place)
    result.seconds = time.monotonic() - began
    return result


class _Gate:
    def __init__(self, task: RecoveryTask, place: Place, result: RecoveryGate):
        self._task, self._place, self._result = task, place, result
        self.violated: dict[str, set[str]] = {}

    def resets(self) -> bool:
        """Whether the initialiser makes the base's tree again, byte for byte, and the base on disk is what it was."""
        with tempfile.TemporaryDirectory(dir=state_dir()) as folder:
            tree = Path(folder, "tree")
            tree.mkdir()
            build_tree(self._task, tree)
            again = tree_digest(tree)
        return again == self._place.base.digest == tree_digest(self._place.base.tree)

    def run(self, label: str, script: Sequence[str]) -> Acted:
        """Acts from a fresh reset; notes the verdict."""
        acted = act(self._place, script)
        verdict = acted.verdict
        if verdict.state == "infra_error":
            raise InfrastructureError(f"{self._task.id}: the verifier did not run: {verdict.detail}")
        self._result.verdicts[label] = {
            "state": verdict.state, "failed": verdict.tests, "detail": verdict.detail, "dimensions": verdict.dimensions,
            "flags": [name for name in FLAGS if verdict.flags[name]], "recovery_call": acted.judge.recovery_call,
            "harm_call": acted.judge.harm_call, "exits": [code for _, code, _ in acted.outputs],
        }  # fmt: skip
        slowest = self._result.slowest
        slowest["reset_s"] = max(slowest.get("reset_s", 0.0), acted.reset_seconds)
        slowest["verdict_s"] = max(slowest.get("verdict_s", 0.0), verdict.seconds)
        return acted

    def mutation(self, name: str) -> None:
        """A wrong repair must fail, violate what it names and nothing else, and raise the flags that it names."""
        listed = next(one for one in self._task.contract.mutations if one.name == name)
        verdict = self.run(f"mutation {name}", self._task.mutations[name]).verdict
        words = {True: "holds", False: "violated", None: "not measured"}
        self._result.map[name] = {obligation: words[held] for obligation, held in verdict.obligations.items()}
        violated = {obligation for obligation, held in verdict.obligations.items() if held is False}
        self.violated[name] = violated
        flags = {flag for flag in FLAGS if verdict.flags[flag]}
        problems = []
        if violated != set(listed.violates):
            problems.append(f"violates {', '.join(sorted(violated)) or 'nothing'}, not {', '.join(listed.violates)}")
        if flags != set(listed.flags):
            problems.append(f"raises {', '.join(sorted(flags)) or 'no flag'}, not {', '.join(listed.flags) or 'none'}")
        rejected = verdict.state == "fail" and listed.violates[0] in violated
        self._result.mutations.append({
            "name": name, "obligation": listed.violates[0], "rejected": rejected, "violates": sorted(violated),
            "flags": sorted(flags), "problem": "; ".join(problems),
        })  # fmt: skip
