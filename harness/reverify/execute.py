"""Executes one record: every recorded action in a fresh workspace, a snapshot and a verdict after each."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from harness.agents.environment import SandboxEnvironment
from harness.agents.interrupts import AttemptLost
from harness.attempt import VARIABLES, Lost
from harness.disk import shortage
from harness.environment import host_environment
from harness.importers.record import RecordedAction, RecordedCall
from harness.importers.session import in_session
from harness.layer_store import LayerStore
from harness.outcome import Progress, event_of
from harness.paths import state_dir
from harness.recorder import Recorder, action_flags, command_digest
from harness.reverify.dependence import dependences
from harness.reverify.ending import ending
from harness.reverify.fidelity import Match, compare, fidelity_of
from harness.reverify.job import Job
from harness.reverify.relevance import judged_part
from harness.sandbox.interface import Limits, Result, SandboxLost
from harness.store.blobs import Blobs
from harness.store.records import ActionRecord, TryResult
from harness.workspace.layer import Layer
from harness.workspace.workspace import Workspace
from tasks.registry import load_task
from verifiers.kinds import prepare_place
from verifiers.place import Place
from verifiers.tamper import audit_layer
from verifiers.verdict import Verdict

#: Variables of a recorded run that a sandbox sets itself.
_OUR_OWN = {"PATH", "HOME", "USER", "TMPDIR", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "BASH_ENV"}


def execute(job: Job) -> TryResult | Lost:
    """Executes the record to its end. Whatever happens, the trajectory file holds every step up to there."""
    with Recorder(job.trajectory) as recorder:
        attempt = job.attempt
        recorder.write(
            "start", attempt=attempt.id, stage=attempt.stage, task=attempt.task, runtime=attempt.runtime,
            arm=attempt.arm, repeat=attempt.repeat, horizon=attempt.horizon, source=job.record.source,
            format=job.record.format,
        )  # fmt: skip
        return _Execution(job, recorder).run()


@dataclass
class _Execution:
    job: Job
    recorder: Recorder
    progress: Progress = field(default_factory=Progress)
    actions: list[ActionRecord] = field(default_factory=list)
    matches: list[tuple[int, Match]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)
    passed_layer: Layer | None = None
    recorded: RecordedAction | None = None
    deleted: set[str] = field(default_factory=set)
    last: Verdict | None = None

    def run(self) -> TryResult | Lost:
        began = time.monotonic()
        try:
            place = self._prepare()
            with Workspace(place.base) as self._workspace:
                self._replay(place)
        except AttemptLost as lost:
            return self._lost(lost.reason, lost.detail, began)
        fidelity = fidelity_of(self.matches)
        self.outcome["reverify"] = self._facts(fidelity.data())
        threshold, reached = self.job.rules.min_fidelity, fidelity.decisive
        if reached is not None and reached < threshold:
            detail = f"{reached:.0%} of its observations match the recorded ones, less than {threshold:.0%}"
            return self._lost("low_fidelity", detail, began)
        status = ending(self.job.record)
        if status is None and self.progress.passed_call is None:
            ended = self.job.record.exit_status or "nothing"
            return self._lost("recorded_failure", f"the recorded run ended with {ended!r}"[:300], began)
        event, call, reason = event_of(self.progress, status or "submitted")
        findings = tuple(audit_layer(self.passed_layer, place.base, self._layers.get)) if self.passed_layer else ()
        self.recorder.write("end", event=event, call=call, reason=reason)
        return TryResult(
            event=event, call=call, calls=self.progress.calls, wall_s=time.monotonic() - began,
            action=self.progress.passed_action if event == "verified" else None, reason=reason,
            cost_usd=self.job.record.total_usd, unpassed_at=self.progress.unpassed_at,
            repassed_at=self.progress.repassed_at, outcome=self.outcome, actions=tuple(self.actions),
            findings=findings,
        )  # fmt: skip

    def _lost(self, reason: str, detail: str, began: float) -> Lost:
        self.recorder.write("lost", reason=reason, detail=detail)
        outcome = self.outcome | {"detail": detail[:500]}
        return Lost(reason, detail, self.progress.calls, time.monotonic() - began, self.job.record.total_usd, outcome,
                    tuple(self.actions))  # fmt: skip

    def _prepare(self) -> Place:
        task = load_task(self.job.attempt.task)
        if task.digest != self.job.task_digest:
            raise AttemptLost("task_changed", f"{task.id} changed while it was executed")
        self._layers = LayerStore(Blobs(state_dir() / "blobs"))
        place = prepare_place(task, self.job.rules.sandbox)
        self._place, self._verifier = place, place.cached_verifier
        self.outcome |= {
            "host": host_environment(), "base": place.base.digest, "sandbox": place.sandbox_kind,
            "sandbox_tools": place.tools.version, "verifier": place.verifier.digest,
        }  # fmt: skip
        return place

    def _replay(self, place: Place) -> None:
        record, rules = self.job.record, self.job.rules
        seconds = record.command_seconds * rules.time_factor
        asked = {
            name: value for name, value in record.environment.items()
            if name not in _OUR_OWN and name.isidentifier() and "\0" not in value
        }  # fmt: skip
        sandbox = place.make_sandbox(VARIABLES | asked)
        try:
            sandbox.start(
                self._workspace.mounts,
                Limits(seconds, memory_bytes=rules.memory_mb << 20, disk_bytes=rules.disk_mb << 20),
            )
        except SandboxLost as lost:
            raise AttemptLost("sandbox_lost", str(lost)) from lost
        environment = SandboxEnvironment(sandbox, seconds, self._on_action)
        try:
            for number, call in enumerate(record.calls, 1):
                self._call(number, call, environment)
        finally:
            sandbox.stop()
        self._judge_end()

    def _call(self, number: int, call: RecordedCall, environment: SandboxEnvironment) -> None:
        self.progress.calls, self.progress.action = number, -1
        self.recorder.write("call", call=number, parsed=call.parsed, cost_usd=call.cost_usd, at=call.at)
        if call.text:
            self.recorder.write("message", message={"role": "assistant", "content": call.text})
        for action in call.actions:
            if action.command is None:
                self._event("missing_tool", action.tool)
                self.matches.append((number, Match(returncode=False, exact=False, masked=False)))
                continue
            self.recorded = action
            shell = self.job.record.shell
            environment.execute({"command": in_session(action.command) if shell == "session" else action.command})

    def _on_action(self, command: str, result: Result) -> None:
        """After every action, once its processes are dead: compare, snapshot, verdict, record."""
        assert self.recorded is not None and self.recorded.command is not None
        self.progress.action += 1
        call, action, recorded = self.progress.calls, self.progress.action, self.recorded
        text, seen = self.recorded.command, recorded.observation
        self.recorder.action(call, action, text, result)
        if lack := shortage(state_dir(), starting=False):
            raise AttemptLost("disk_full", lack)
        match = compare(text, seen, result)
        self.matches.append((call, match))
        for kind, detail in dependences(text, seen, result, match):
            self._event(kind, detail)
        if (seen and seen.timed_out) or result.timed_out:
            self._event("timeout", f"recorded {'yes' if seen and seen.timed_out else 'no'}, limit "
                        f"{self.job.record.command_seconds:g} s; here {'yes' if result.timed_out else 'no'}, after "
                        f"{result.seconds:.1f} s")  # fmt: skip
        self.layer = self._layers.snapshot(self._workspace)
        verdict = self._judge(self._judged_part())
        self._note_deletions(self.layer)
        self.recorder.verdict(call, action, self.layer.digest, verdict, self._layers.scratch(self._workspace))
        self.actions.append(self._action_record(call, action, text, result, verdict, match))
        self.progress.judge(verdict.passed)
        if verdict.passed and self.passed_layer is None:
            self.passed_layer = self.layer

    def _judged_part(self) -> Layer:
        """What is judged of the layer: all of it, unless the verifier shows what its tests could see."""
        hidden = getattr(self._place.verifier, "hidden_sources", None)
        return self.layer if hidden is None else judged_part(self.layer, self._place.base, self._layers.get, hidden)

    def _judge(self, layer: Layer) -> Verdict:
        verdict = self._verifier.verify(layer, self._layers.get)
        if verdict.state == "infra_error":
            raise AttemptLost("verifier_failure", verdict.detail)
        self.last = verdict
        return verdict

    def _judge_end(self) -> None:
        """The last state as it is, scratch files and all."""
        whole = self._judge(self._layers.snapshot(self._workspace))
        if self.actions and self.actions[-1].verdict_state != whole.state:
            self._event("verdict_differs", f"with the scratch files the last state is {whole.state}")

    def _note_deletions(self, layer: Layer) -> None:
        base = self._place.base.manifest
        gone = {
            path for path, entry in layer.candidate.manifest.items()
            if entry.kind == "whiteout" and path in base and base[path].kind == "file"
        }  # fmt: skip
        for path in sorted(gone - self.deleted)[:20]:
            self._event("tracked_file_deleted", path)
        self.deleted = gone

    def _event(self, kind: str, detail: str) -> None:
        event = {"kind": kind, "call": self.progress.calls, "detail": detail[:200]}
        self.events.append(event)
        self.recorder.write("noted", what=kind, call=event["call"], detail=event["detail"])

    def _action_record(
        self, call: int, action: int, command: str, result: Result, verdict: Verdict, match: Match
    ) -> ActionRecord:
        matched = {name: value for name, value in vars(match).items() if value is not None}
        return ActionRecord(
            call=call, action=action, command=command_digest(command),
            returncode=None if result.limit else result.returncode, seconds=result.seconds,
            layer_digest=self.layer.digest, verdict_key=self.layer.verdict_key, verdict_state=verdict.state,
            verdict_seconds=verdict.seconds, cached=verdict.cached,
            flags=action_flags(vars(result)) | {"match": matched},
        )  # fmt: skip

    def _facts(self, fidelity: dict[str, Any]) -> dict[str, Any]:
        """What a reader of the attempt wants to know beside its event; never exported."""
        record, progress, last = self.job.record, self.progress, self.last
        final = last is not None and last.passed
        unpassed = None if progress.unpassed_at is None else ("transient" if final else "final")
        first = progress.passed_call
        return {
            "source": record.source, "source_digest": record.digest, "format": record.format,
            "instance": record.instance, "calls": len(record.calls), "first_pass_call": first,
            "unpassed_at": progress.unpassed_at, "repassed_at": progress.repassed_at, "unpassed": unpassed,
            "final_pass": final, "final_state": last.state if last else None, "recorded_pass": record.passed,
            "fidelity": fidelity, "observations": len(self.matches),
            "calls_after_first_pass": None if first is None else len(record.calls) - first,
            "cost_after_first_pass": None if first is None else record.cost_after(first),
            "events": self.events,
        }  # fmt: skip
