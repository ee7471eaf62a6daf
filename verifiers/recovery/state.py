"""Judges one state of a candidate's system: extracts, probes as it runs, restart, probes again."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.canonical import digest_json
from harness.sandbox.factory import make_sandbox
from harness.sandbox.interface import SandboxLost
from harness.sandbox.tools import Tools
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.workspace import CandidateMount
from tasks.recovery.contract import Contract, Invariant, Service
from tasks.recovery.task import RecoveryTask
from verifiers.recovery.equivalence import holds, mostly_lost
from verifiers.recovery.probing import Report, inside_digest, probe

#: Limit of one judgement, seconds, beside the waits of the services' starts.
_SECONDS = 30.0


@dataclass(frozen=True)
class Finding:
    """What was found of one obligation."""

    passed: bool | None
    """None: could not be measured (a durability check whose goal fails already)."""
    detail: str = ""
    flag: str | None = None


@dataclass
class StateVerdict:
    """One state's judgement; plain data."""

    state: str
    """judged, no_result (the candidate kept the evaluation from ending) or infra_error."""
    findings: dict[str, Finding] = field(default_factory=dict)
    seconds: float = 0.0
    detail: str = ""
    seed: str = ""
    """What the probes' inputs depended on."""

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> StateVerdict:
        """Inverse of ``data``."""
        found = {name: Finding(**finding) for name, finding in data["findings"].items()}
        return cls(**{**data, "findings": found})


class StateJudge:
    """Judges states of one task on this machine, each on a copy and from outside.

    The copy of a layer is mounted in the evaluator's sandbox. First the extracts are taken, before any program of the
    candidate runs. Then the services that ran are started on the run-time configuration that is there, and probed.
    Then everything is killed, the restart is prepared, the services are started as a boot does, and probed with input
    that nobody has seen. At last everything is killed and the extracts are taken again.
    """

    def __init__(self, task: RecoveryTask, base: Base, tools: Tools, sandbox: str):
        self._task, self._base = task, base
        self._sandbox = make_sandbox(sandbox, tools, {"PYTHONHASHSEED": "0"})
        self._original: dict[str, Any] | None = None
        self.digest = digest_json(
            {"task": task.verdict_digest, "inside": inside_digest(), "base": base.digest, "python": tools.version}
        )

    def judge(self, layer: Layer, content: Callable[[str], bytes], running: Iterable[str]) -> StateVerdict:
        """Judges ``layer``.

        Args:
            content: files of the layer by SHA-256.
            running: names of the services that ran when the layer was taken.
        """
        began, seed = time.monotonic(), secrets.token_hex(8)
        contract = self._task.contract
        try:
            original = self._originals()
            with CandidateMount(self._base, layer.candidate.manifest, content) as mounts:
                steps = _steps(contract, set(running))
                limit = _SECONDS + 2 * contract.durability.wait_seconds * len(contract.services)
                result, report = probe(self._sandbox, mounts, self._task.checks, steps, limit=limit, seed=seed)
        except SandboxLost as lost:
            return StateVerdict("infra_error", {}, time.monotonic() - began, str(lost), seed)
        taken = time.monotonic() - began
        if not report.alive:
            said = result.output.decode(errors="replace").strip()[-300:]
            return StateVerdict("infra_error", {}, taken, f"the checks did not start: {said}", seed)
        findings = _findings(contract, report, original)
        if not report.ended:
            detail = f"the checks did not end (exit {result.returncode}, limit {result.limit or 'none'})"
            return StateVerdict("no_result", findings, taken, detail, seed)
        return StateVerdict("judged", findings, taken, "", seed)

    def _originals(self) -> dict[str, Any]:
        """Extracts of the broken state as it was built."""
        if self._original is None:
            names = extracts(self._task.contract)
            steps = [{"do": "call", "stage": "original", "names": names}]
            with CandidateMount(self._base, {}, lambda _: b"") as mounts:
                _, report = probe(self._sandbox, mounts, self._task.checks, steps, limit=_SECONDS, seed="original")
            values = {}
            for name in names:
                found = report.checks.get(("original", name), {"detail": "no answer"})
                if found.get("result") != "pass":
                    raise SandboxLost(f"{self._task.id}: extract {name} of the original state: {found.get('detail')}")
                values[name] = _value(found)
            self._original = values
        return self._original


def extracts(contract: Contract, *temporal: str) -> list[str]:
    """Names of the extracts that invariants compare (of these temporal kinds, if any are given), each once."""
    found = [i.extract for i in contract.invariants if i.extract and (not temporal or i.temporal in temporal)]
    return list(dict.fromkeys(found))


def _steps(contract: Contract, running: set[str]) -> list[dict[str, Any]]:
    durability, services = contract.durability, contract.services
    probes = [i for i in contract.invariants if i.check]
    now = [*(goal.check for goal in contract.goals), *(i.check for i in probes if i.temporal == "terminal")]
    after = [*(one.check for one in durability.checks), *(i.check for i in probes if i.temporal == "post_restart")]
    steps: list[dict[str, Any]] = [_call("before", extracts(contract, "terminal", "trajectory"))]
    steps += [_spawn("now", s.resume, contract) for s in services if s.name in running]
    steps += [_call("now", now), {"do": "end"}, {"do": "wipe", "folders": list(durability.wipe)}]
    if durability.prepare:
        steps.append(_call("prepare", [durability.prepare]))
    steps += [_spawn("restart", service.start, contract) for service in services]
    steps += [_call("restart", after), {"do": "end"}, _call("after", extracts(contract, "post_restart"))]
    return steps


def _call(stage: str, names: Sequence[str | None]) -> dict[str, Any]:
    return {"do": "call", "stage": stage, "names": list(dict.fromkeys(name for name in names if name))}


def _spawn(stage: str, command: str, contract: Contract) -> dict[str, Any]:
    return {"do": "spawn", "stage": stage, "command": command, "seconds": contract.durability.wait_seconds}


def _value(found: dict[str, Any]) -> Any:
    return json.loads(found["value"])


def _findings(contract: Contract, report: Report, original: dict[str, Any]) -> dict[str, Finding]:
    findings = {goal.name: _probed(report, "now", goal.check) for goal in contract.goals}
    for invariant in contract.invariants:
        if invariant.secret:
            continue  # the trajectory's business
        findings[invariant.name] = _invariant(invariant, report, original)
    for check in contract.durability.checks:
        found = _probed(report, "restart", check.check)
        broken = [name for name in check.repeats if not findings[name].passed]
        if broken and not found.passed:
            found = Finding(None, f"not measured: {', '.join(broken)} failed before the restart; {found.detail}")
        findings[check.name] = found
    return findings


def _probed(report: Report, stage: str, name: str, flag: str | None = None) -> Finding:
    found = report.checks.get((stage, name))
    if found is None:  # the evaluation ended before: that is no evidence of harm
        return Finding(False, "no answer")
    if found["result"] == "pass":
        return Finding(True)
    said = [f"{s['detail'].strip()[-120:]}" for s in report.spawned if s["stage"] == stage and s["code"]]
    return Finding(False, "; ".join([found["detail"], *said])[:400], flag)


def _invariant(invariant: Invariant, report: Report, original: dict[str, Any]) -> Finding:
    if invariant.check:
        stage = "restart" if invariant.temporal == "post_restart" else "now"
        return _probed(report, stage, invariant.check, invariant.flag)
    assert invariant.extract
    stage = "after" if invariant.temporal == "post_restart" else "before"
    found = report.checks.get((stage, invariant.extract))
    if found is None:
        return Finding(False, "no answer")
    if found["result"] != "pass":
        return Finding(False, found["detail"], invariant.mass or invariant.flag)
    value, before = _value(found), original[invariant.extract]
    right, why = holds(invariant.equivalence, before, value)
    if right:
        return Finding(True)
    flag = invariant.mass if invariant.mass and mostly_lost(before, value) else invariant.flag
    return Finding(False, why, flag)


def running_services(contract: Contract, processes: dict[int, str], pid_of: Callable[[str], bytes | None]) -> list[str]:
    """Names of the services that run: a live process whose command line names the program has the pid in its file.

    Args:
        processes: live processes of the sandbox, by their pid inside: command line.
        pid_of: content of a file of the workspace, None where there is none.
    """

    def runs(service: Service) -> bool:
        text = (pid_of(service.pid_file) or b"").strip()
        return text.isdigit() and len(text) < 10 and service.program in processes.get(int(text), "")

    return [service.name for service in contract.services if runs(service)]
