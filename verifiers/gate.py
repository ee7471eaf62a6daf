"""Qualifies a task on this machine: is its verifier able to tell right repairs from wrong ones?"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from harness.canonical import digest_bytes
from harness.errors import InfrastructureError, InputError
from harness.paths import state_dir
from harness.sandbox.interface import Limits
from harness.workspace.base import tree_digest
from harness.workspace.layer import Layer
from harness.workspace.workspace import Workspace
from tasks.interface import RepairTask
from tasks.package import TaskPackage
from verifiers.gate_result import GateResult
from verifiers.interface import Verifier
from verifiers.place import Place
from verifiers.verdict import Verdict

#: How often the reference is judged; every one must pass.
REFERENCE_REPEATS = 3
_PATCH = "/run/repair.patch"


class Bench:
    """Makes workspace states with real commands in the sandbox, and has them judged without the cache."""

    def __init__(self, task: RepairTask, place: Place):
        self.task, self.place = task, place
        self._content: dict[str, bytes] = {}

    def _keep(self, data: bytes) -> None:
        self._content[digest_bytes(data)] = data

    def layer(self, command: str | None = None, patch: bytes | None = None, name: str = "reference") -> Layer:
        """The layer of a fresh workspace after ``command``, or with the patch of that name applied."""
        with Workspace(self.place.base) as workspace, tempfile.TemporaryDirectory(dir=state_dir()) as folder:
            mounts = workspace.mounts
            if patch is not None:
                file = Path(folder, "repair.patch")
                file.write_bytes(patch if patch.endswith(b"\n") else patch + b"\n")
                mounts = replace(mounts, read_only={_PATCH: file})
                command = f"git apply --whitespace=nowarn {_PATCH}"
            if command is not None:
                sandbox = self.place.make_sandbox()
                sandbox.start(mounts, Limits())
                try:
                    result = sandbox.run(command)
                finally:
                    sandbox.stop()
                if result.returncode:
                    said = result.output.decode(errors="replace").strip()[-300:]
                    file = self.task.root / f"{name}.patch"
                    raise InputError(f"cannot be applied: {said}", file=file, mend="renew it")
            return workspace.snapshot(self._keep)

    def judge(self, result: GateResult, label: str, layer: Layer, verifier: Verifier | None = None) -> Verdict:
        """The verdict on a layer, by the place's verifier or another one, noted in ``result``."""
        verdict = (verifier or self.place.verifier).verify(layer, self._content.__getitem__)
        if verdict.state == "infra_error":
            raise InfrastructureError(f"{self.task.id}: the verifier did not run: {verdict.detail}")
        failed = {name: outcome for name, outcome in verdict.tests.items() if outcome != "pass"}
        result.verdicts[label] = {"state": verdict.state, "failed": failed, "detail": verdict.detail}
        return verdict


def qualify(task: TaskPackage, place: Place) -> GateResult:
    """Runs all checks of a qualification for one task package.

    Raises:
        InfrastructureError: the checks could not be run.
    """
    began = time.monotonic()
    bench, spec = Bench(task, place), task.spec
    empty = bench.layer()
    result = GateResult(
        task=task.id, task_digest=task.digest, family=spec.family, python=place.tools.version,
        base_digest=place.base.digest, sandbox=place.sandbox_kind, base=False, nop=False, reference=False,
        flake_rate=1.0, reset=not empty.manifest and tree_digest(place.base.tree) == place.base.digest,
    )  # fmt: skip

    base = bench.judge(result, "base", empty)
    result.base = base.state == "fail" and all(
        (base.tests[test.name] == "pass") == (test.kind == "guard") for test in spec.tests
    )
    nop = bench.layer("git status --short; git log --oneline; git diff; ls")
    result.nop = not bench.judge(result, "nop", nop).passed
    reference = bench.layer(patch=task.reference)
    passes = [bench.judge(result, f"reference {n + 1}", reference).passed for n in range(REFERENCE_REPEATS)]
    result.reference, result.flake_rate = all(passes), 1 - sum(passes) / len(passes)
    for mutation in spec.mutations:
        layer = bench.layer(patch=task.mutations[mutation.name], name=f"mutations/{mutation.name}")
        verdict = bench.judge(result, f"mutation {mutation.name}", layer)
        # Rejected means: judged, failed, and for the obligation that it was written to violate.
        rejected = verdict.state == "fail" and verdict.obligations.get(mutation.obligation) is False
        result.mutations.append({"name": mutation.name, "obligation": mutation.obligation, "rejected": rejected})
    for alternative in spec.alternatives:
        layer = bench.layer(patch=task.alternatives[alternative.name], name=f"alternatives/{alternative.name}")
        accepted = bench.judge(result, f"alternative {alternative.name}", layer).passed
        result.alternatives.append({"name": alternative.name, "accepted": accepted})
    result.seconds = time.monotonic() - began
    return result
