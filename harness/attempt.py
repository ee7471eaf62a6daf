"""Runs one try of one attempt: an agent in a sandbox, a verification after every action, every step recorded."""

from __future__ import annotations

import time
import traceback
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import plugins
from harness.agents.interrupts import AttemptLost, end_attempt
from harness.agents.submission import is_submission
from harness.disk import shortage
from harness.environment import host_environment
from harness.layer_store import LayerStore
from harness.outcome import Progress, event_of, known_total
from harness.paths import state_dir
from harness.protocol.prompts import Prompts, load_prompts
from harness.protocol.schema import Protocol
from harness.recorder import Recorder, action_flags, command_digest
from harness.sandbox.interface import Limits, Result, SandboxLost
from harness.slots import SlotKinds, Slots
from harness.store.blobs import Blobs
from harness.store.records import ActionRecord, Attempt, TryResult
from harness.workspace.layer import Layer
from harness.workspace.workspace import Workspace
from harness.worktime import WorkTime
from tasks.registry import load_task, source_of
from verifiers.kinds import prepare_place
from verifiers.place import Place
from verifiers.tamper import audit_layer
from verifiers.verdict import Verdict

if TYPE_CHECKING:
    from harness.models.retrying import FailedRequest

#: Variables inside the sandbox, as mini-swe-agent sets them.
VARIABLES = {"PAGER": "cat", "MANPAGER": "cat", "LESS": "-R", "PIP_PROGRESS_BAR": "off", "TQDM_DISABLE": "1"}


@dataclass(frozen=True)
class Unit:
    """A try to run; plain data that travels to a worker."""

    protocol: Protocol
    attempt: Attempt
    task_digest: str
    trajectory: Path
    local_url: str | None = None
    slots: SlotKinds = field(default_factory=SlotKinds)


@dataclass(frozen=True)
class Lost:
    """A try that infrastructure lost."""

    exclusion: str
    detail: str
    calls: int
    wall_s: float
    cost_usd: float | None
    outcome: dict[str, Any]
    actions: tuple[ActionRecord, ...]


def sandbox_limits(protocol: Protocol) -> Limits:
    """The protocol's limits in the sandbox's units."""
    limits = protocol.limits
    return Limits(
        seconds=limits.command_seconds,
        memory_bytes=limits.memory_mb << 20,
        processes=limits.processes,
        disk_bytes=limits.disk_mb << 20,
        inodes=limits.inodes,
        output_bytes=limits.output_kb << 10,
    )


def run_try(unit: Unit) -> TryResult | Lost:
    """Runs the try to its end. Whatever happens, the trajectory file holds every step up to there."""
    with Recorder(unit.trajectory) as recorder:
        attempt = unit.attempt
        recorder.write(
            "start", attempt=attempt.id, stage=attempt.stage, task=attempt.task, runtime=attempt.runtime,
            arm=attempt.arm, repeat=attempt.repeat, horizon=attempt.horizon, seed=str(attempt.seed),
        )  # fmt: skip
        return _Try(unit, recorder).run()


@dataclass
class _Try:
    unit: Unit
    recorder: Recorder
    progress: Progress = field(default_factory=Progress)
    costs: list[float | None] = field(default_factory=list)
    actions: list[ActionRecord] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)
    passed_layer: Layer | None = None

    def run(self) -> TryResult | Lost:
        began = time.monotonic()
        try:
            place = self._place()
            prompts = load_prompts(self.unit.protocol.agent.prompts)
            with Workspace(place.base) as workspace:
                self._workspace, self._verifier = workspace, place.cached_verifier
                status = self._drive(place, prompts, workspace)
        except AttemptLost as lost:
            self.recorder.write("lost", reason=lost.reason, detail=lost.detail)
            return Lost(
                lost.reason, lost.detail, self.progress.calls, time.monotonic() - began, known_total(self.costs),
                self.outcome | {"detail": lost.detail[:500]}, tuple(self.actions),
            )  # fmt: skip
        event, call, reason = event_of(self.progress, status)
        findings = self._audit(place) if event == "verified" else ()
        self.recorder.write("end", event=event, call=call, reason=reason)
        return TryResult(
            event=event, call=call, calls=self.progress.calls, wall_s=time.monotonic() - began,
            action=self.progress.passed_action if event == "verified" else None, reason=reason,
            cost_usd=known_total(self.costs), unpassed_at=self.progress.unpassed_at,
            repassed_at=self.progress.repassed_at, outcome=self.outcome, actions=tuple(self.actions), findings=findings,
        )  # fmt: skip

    def _place(self) -> Place:
        task = load_task(self.unit.attempt.task)
        if task.digest != self.unit.task_digest:
            raise AttemptLost("task_changed", f"{task.id} is not what the frozen stage names any more")
        self._layers = LayerStore(Blobs(state_dir() / "blobs"))
        place = prepare_place(task, self.unit.protocol.sandbox.kind)
        self.outcome |= {
            "host": host_environment(), "base": place.base.digest, "sandbox": place.sandbox_kind,
            "sandbox_tools": place.tools.version, "verifier": place.verifier.digest,
        }  # fmt: skip
        if used := self._plugins(place):
            self.outcome["plugins"] = used
        return place

    def _plugins(self, place: Place) -> dict[str, str]:
        """What other packages took part, each with its distribution and version."""
        source, runtime = source_of(place.task.id), self.unit.protocol.runtimes[self.unit.attempt.runtime]
        named: list[tuple[plugins.Group, str]] = [
            ("agents", runtime.agent), ("sandboxes", place.sandbox_kind), ("verifiers", place.task.kind)
        ]  # fmt: skip
        return plugins.releases([*named, ("tasks", source)] if source else named)

    def _drive(self, place: Place, prompts: Prompts, workspace: Workspace) -> str:
        """Lets the agent work; returns the status that ended it."""
        from harness.agents.agent import RecordedAgent
        from harness.agents.environment import SandboxEnvironment
        from harness.agents.meter import Meter
        from harness.agents.visiting import visit
        from harness.models.factory import make_model

        protocol, attempt = self.unit.protocol, self.unit.attempt
        sandbox = place.make_sandbox(VARIABLES)
        try:
            sandbox.start(workspace.mounts, sandbox_limits(protocol))
        except SandboxLost as lost:
            raise AttemptLost("sandbox_lost", str(lost)) from lost
        runtime = protocol.runtimes[attempt.runtime]
        config = {
            "system_template": prompts.system, "instance_template": prompts.instance,
            "max_consecutive_format_errors": protocol.agent.max_consecutive_format_errors,
        }  # fmt: skip
        work, slots = WorkTime(protocol.limits.wall_seconds), self.unit.slots
        with work.waiting():  # the first model of a process is slow to import
            model = make_model(
                protocol, runtime, place.task, prompts, seed=attempt.seed, local_url=self.unit.local_url,
                work=work, slot=_entering(slots.model_calls), on_failure=self._on_failure,
            )  # fmt: skip
        environment = SandboxEnvironment(
            sandbox, protocol.limits.command_seconds, self._on_action, work, _entering(slots.sandboxes)
        )
        meter = Meter(
            self._on_call, horizon=attempt.horizon, cost_limit=protocol.limits.cost_usd,
            token_limit=protocol.limits.tokens, work=work,
        )  # fmt: skip
        try:
            if runtime.agent not in plugins.BUILT_IN["agents"]:
                return visit(
                    plugins.load("agents", runtime.agent), model, environment, meter, task=place.task.issue,
                    seed=attempt.seed, on_message=self._on_message, on_error=self._on_agent_error,
                    on_context=lambda kept: self.recorder.write("context", kept=kept), **config,
                )  # fmt: skip
            agent = RecordedAgent(model, environment, meter=meter, on_message=self._on_message, **config)
            return str(agent.run(task=place.task.issue).get("exit_status", ""))
        finally:
            self.outcome["waiting_s"] = round(work.waiting_s, 3)
            sandbox.stop()

    def _on_message(self, message: dict[str, Any]) -> None:
        self.recorder.write("message", message=message)

    def _on_agent_error(self, error: BaseException) -> None:
        """An error of another package's agent, which ends the attempt."""
        self.outcome["detail"] = f"{type(error).__name__}: {error}"[:500]
        self.recorder.write("agent_error", detail="".join(traceback.format_exception(error))[-4000:])

    def _on_call(self, call: int, extra: dict[str, Any], parsed: bool) -> None:
        self.progress.calls, self.progress.action = call, -1
        cost = extra.get("cost") if extra.get("cost_known", True) else None
        self.costs.append(None if cost is None else float(cost))
        if extra.get("model"):
            self.outcome["model_returned"] = str(extra["model"])
        self.recorder.write("call", call=call, parsed=parsed, cost_usd=cost)

    def _on_failure(self, failed: FailedRequest) -> None:
        """A request that got no usable answer, be it asked again or not."""
        name = failed.failure.name
        known = self.outcome.setdefault("failed_requests", {})
        known[name] = known.get(name, 0) + 1
        self.recorder.write(
            "failed_request", call=self.progress.calls + 1, request=failed.number, reason=name,
            status=failed.failure.status, seconds=failed.seconds, detail=failed.detail[:500],
        )  # fmt: skip

    def _on_action(self, command: str, result: Result) -> None:
        """After every action, once its processes are dead: snapshot, verdict, record; ends an attempt that is over."""
        self.progress.action += 1
        call, action = self.progress.calls, self.progress.action
        self.recorder.action(call, action, command, result)
        if lack := shortage(state_dir(), starting=False):
            raise AttemptLost("disk_full", lack)
        layer = self._layers.snapshot(self._workspace)
        verdict = self._verifier.verify(layer, self._layers.get)
        self.recorder.verdict(call, action, layer.digest, verdict)
        self.actions.append(_action_record(call, action, command, result, layer, verdict))
        if verdict.state == "infra_error":
            raise AttemptLost("verifier_failure", verdict.detail)
        self.progress.judge(verdict.passed)
        if verdict.passed and self.passed_layer is None:
            self.passed_layer = layer
        rules = self.unit.protocol.verification
        if verdict.passed and rules.after_pass == "stop":
            raise end_attempt("verified")
        if is_submission(command, result.returncode) and (verdict.passed or rules.on_unverified_submit == "terminal"):
            raise end_attempt("submitted")

    def _audit(self, place: Place) -> tuple[dict[str, Any], ...]:
        assert self.passed_layer is not None
        return tuple(audit_layer(self.passed_layer, place.base, self._layers.get))


def _entering(slots: Slots | None) -> Any:
    """What takes one of ``slots`` for the time of a ``with`` block."""
    return slots.taken if slots else nullcontext


def _action_record(
    call: int, action: int, command: str, result: Result, layer: Layer, verdict: Verdict
) -> ActionRecord:
    return ActionRecord(
        call=call, action=action, command=command_digest(command),
        returncode=None if result.limit else result.returncode, seconds=result.seconds, layer_digest=layer.digest,
        verdict_key=layer.verdict_key, verdict_state=verdict.state, verdict_seconds=verdict.seconds,
        cached=verdict.cached, flags=action_flags(vars(result)),
    )  # fmt: skip
