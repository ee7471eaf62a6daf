"""Qualifies a task on this machine: is its verifier able to tell right repairs from wrong ones?"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

from harness.canonical import digest_bytes
from harness.errors import InfrastructureError, InputError
from harness.sandbox.bubblewrap import BubblewrapSandbox
from harness.sandbox.interface import Limits
from harness.workspace.base import tree_digest
from harness.workspace.layer import Layer
from harness.workspace.workspace import Workspace
from tasks.package import load_task
from verifiers.place import prepare_place
from verifiers.verdict import JUDGED, Verdict

#: How often the reference is judged; every one must pass.
REFERENCE_REPEATS = 3
_PATCH = "/run/repair.patch"


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
        }  # fmt: skip


class _Bench:
    """Makes workspace states with real commands in the sandbox, and has them judged without the cache."""

    def __init__(self, task_id: str):
        self.task = load_task(task_id)
        self.place = prepare_place(self.task)
        self._content: dict[str, bytes] = {}

    def _keep(self, data: bytes) -> None:
        self._content[digest_bytes(data)] = data

    def layer(self, command: str | None = None, patch: str | None = None) -> Layer:
        """The layer of a fresh workspace after ``command``, or with a patch file of the package applied."""
        with Workspace(self.place.base) as workspace:
            mounts = workspace.mounts
            if patch is not None:
                mounts = replace(mounts, read_only={_PATCH: self.task.root / patch})
                command = f"git apply --whitespace=nowarn {_PATCH}"
            if command is not None:
                sandbox = BubblewrapSandbox(self.place.python, self.place.site)
                sandbox.start(mounts, Limits())
                result = sandbox.run(command)
                if result.returncode:
                    said = result.output.decode(errors="replace").strip()[-300:]
                    raise InputError(f"cannot be applied: {said}", file=self.task.root / (patch or ""), mend="renew it")
            return workspace.snapshot(self._keep)

    def judge(self, layer: Layer) -> Verdict:
        verdict = self.place.verifier.verify(layer, self._content.__getitem__)
        if verdict.state == "infra_error":
            raise InfrastructureError(f"{self.task.id}: the verifier did not run: {verdict.detail}")
        return verdict


def gate_task(task_id: str) -> GateResult:
    """Runs all checks of design.md's qualification for one task.

    Raises:
        InfrastructureError: the checks could not be run.
    """
    began = time.monotonic()
    bench = _Bench(task_id)
    spec, place = bench.task.spec, bench.place
    empty = bench.layer()
    result = GateResult(
        task=task_id, task_digest=bench.task.digest, family=spec.family, python=place.python.full_version,
        base_digest=place.base.digest, sandbox=BubblewrapSandbox.kind, base=False, nop=False, reference=False,
        flake_rate=1.0, reset=not empty.manifest and tree_digest(place.base.tree) == place.base.digest,
    )  # fmt: skip

    def judge(label: str, layer: Layer) -> Verdict:
        verdict = bench.judge(layer)
        failed = {name: outcome for name, outcome in verdict.tests.items() if outcome != "pass"}
        result.verdicts[label] = {"state": verdict.state, "failed": failed, "detail": verdict.detail}
        return verdict

    base = judge("base", empty)
    result.base = base.state == "fail" and all(
        (base.tests[test.name] == "pass") == (test.kind == "guard") for test in spec.tests
    )
    result.nop = not judge("nop", bench.layer("git status --short; git log --oneline; git diff; ls")).passed
    reference = bench.layer(patch="reference.patch")
    passes = [judge(f"reference {n + 1}", reference).passed for n in range(REFERENCE_REPEATS)]
    result.reference, result.flake_rate = all(passes), 1 - sum(passes) / len(passes)
    for mutation in spec.mutations:
        verdict = judge(f"mutation {mutation.name}", bench.layer(patch=f"mutations/{mutation.name}.patch"))
        # Rejected means: judged, failed, and for the obligation that it was written to violate.
        rejected = verdict.state == "fail" and verdict.obligations.get(mutation.obligation) is False
        result.mutations.append({"name": mutation.name, "obligation": mutation.obligation, "rejected": rejected})
    for alternative in spec.alternatives:
        layer = bench.layer(patch=f"alternatives/{alternative.name}.patch")
        accepted = judge(f"alternative {alternative.name}", layer).passed
        result.alternatives.append({"name": alternative.name, "accepted": accepted})
    result.seconds = time.monotonic() - began
    return result
