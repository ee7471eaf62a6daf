"""Runs one try of one attempt: an agent in a sandbox, a verification after every action, every step recorded."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import plugins
from harness.agents.interrupts import AttemptLost, end_attempt
from harness.agents.submission import is_submission
from harness.checkpoints.episode import Episode
from harness.disk import shortage
from harness.environment import host_environment
from harness.errors import InputError
from harness.layer_store import LayerStore
from harness.monitors.watch import Watch
from harness.outcome import Progress, event_of, known_total
from harness.oversight import Oversight
from harness.paths import state_dir
from harness.protocol.intervention import Alarm
from harness.protocol.prompts import Prompts, load_prompts
from harness.protocol.schema import Protocol
from harness.recorder import Recorder, action_flags, command_digest
from harness.recovery.clients import Clients
from harness.sandbox.interface import Limits, Result, Sandbox, SandboxLost
from harness.second_verdict import second_verdict
from harness.slots import SlotKinds, Slots
from harness.store.blobs import BlobError, Blobs
from harness.store.records import ActionRecord, Attempt, TryResult
from harness.workspace.layer import Layer
from harness.workspace.workspace import Workspace
from harness.worktime import WorkTime
from tasks.registry import load_task, source_of
from verifiers.kinds import prepare_place
from verifiers.place import Place
from verifiers.tamper import audit_layer
from verifiers.verdict import Verdict
from verifiers.watching import Ending

if TYPE_CHECKING:
    from harness.agents.agent import Intervene
    from harness.agents.meter import Meter
    from harness.models.retrying import FailedRequest
    from harness.recovery.intervening import Intervention
    from harness.recovery.triggers import Charge

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
    episode: Episode | None = None
    """The checkpoint that it goes on from; None: the task's beginning."""


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
            **(unit.episode.facts if unit.episode else {}),
        )  # fmt: skip
        if unit.protocol.planning:
            from harness.planning.episode import Episode

            return Episode(unit, recorder).run()
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
    last_layer: Layer | None = None
    _oversight: Oversight | None = None

    def run(self) -> TryResult | Lost:
        began = time.monotonic()
        try:
            place = self._place()
            prompts = load_prompts(self.unit.protocol.agent.prompts)
            with ExitStack() as self._stack:
                self._workspace = self._stack.enter_context(Workspace(place.base))
                self._oversight = Oversight(place, self._layers)
                self._put_back()
                status = self._drive(place, prompts)
        except AttemptLost as lost:
            self.recorder.write("lost", reason=lost.reason, detail=lost.detail)
            self._conclude("censored", time.monotonic() - began, lost.reason)
            return Lost(
                lost.reason, lost.detail, self.progress.calls, time.monotonic() - began, known_total(self.costs),
                self.outcome | {"detail": lost.detail[:500]}, tuple(self.actions),
            )  # fmt: skip
        event, call, reason = event_of(self.progress, status)
        self._conclude(event, time.monotonic() - began)
        wall_s = time.monotonic() - began
        findings = (self._audit(place) if event == "verified" else ()) + self._second_verdict(place)
        self.recorder.write("end", event=event, call=call, reason=reason)
        return TryResult(
            event=event, call=call, calls=self.progress.calls, wall_s=wall_s,
            action=self.progress.passed_action if event == "verified" else None, reason=reason,
            cost_usd=known_total(self.costs), unpassed_at=self.progress.unpassed_at,
            repassed_at=self.progress.repassed_at, outcome=self.outcome, actions=tuple(self.actions), findings=findings,
        )  # fmt: skip

    def _conclude(self, event: str, wall_s: float, lost: str | None = None) -> None:
        """Adds to the outcome what the judge says of the attempt as a whole."""
        attempt = self.unit.attempt
        if self._oversight is not None:
            self.outcome |= self._oversight.outcome(Ending(
                attempt.runtime, attempt.repeat, event, attempt.origin, known_total(self.costs),
                wall_s - self.outcome.get("waiting_s", 0.0), self.unit.protocol.runtimes[attempt.runtime].track, lost,
            ))  # fmt: skip

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
        arms = [arm for arm in self.unit.protocol.arms if arm.name == self.unit.attempt.arm]
        named += [("monitors", arm.trigger.monitor) for arm in arms if isinstance(arm.trigger, Alarm)]
        return plugins.releases([*named, ("tasks", source)] if source else named)

    def _drive(self, place: Place, prompts: Prompts) -> str:
        """Lets the agent work; returns the status that ended it."""
        from harness.agents.agent import RecordedAgent
        from harness.agents.environment import SandboxEnvironment
        from harness.agents.meter import Meter
        from harness.agents.visiting import visit
        from harness.models.factory import make_model

        protocol, attempt = self.unit.protocol, self.unit.attempt
        sandbox = place.make_sandbox(VARIABLES)
        self._start(sandbox)
        runtime = protocol.runtimes[attempt.runtime]
        config = {
            "system_template": prompts.system, "instance_template": prompts.instance,
            "max_consecutive_format_errors": protocol.agent.max_consecutive_format_errors,
        }  # fmt: skip
        work, slots = WorkTime(protocol.limits.wall_seconds), self.unit.slots
        make = partial(
            make_model, protocol, runtime, place.task, prompts, local_url=self.unit.local_url, work=work,
            slot=_entering(slots.model_calls), on_failure=self._on_failure,
        )  # fmt: skip
        with work.waiting():  # the first model of a process is slow to import
            model = make(seed=attempt.seed, **(self.unit.episode.law if self.unit.episode else {}))
        clients = Clients(make, attempt.seed, model, getattr(runtime.model, "after", None) or ())
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
                    on_context=self._on_context, **config,
                )  # fmt: skip
            agent = RecordedAgent(
                model, environment, meter=meter, on_message=self._on_message, on_context=self._on_context,
                intervene=self._intervention(place, sandbox, meter, clients) or self._opening(place, model), **config,
            )  # fmt: skip
            return str(agent.run(task=place.task.issue).get("exit_status", ""))
        finally:
            self.outcome["waiting_s"] = round(work.waiting_s, 3)
            sandbox.stop()

    def _put_back(self) -> None:
        """Makes the workspace what the episode begins with."""
        try:
            if self.unit.episode:
                self.unit.episode.put_back(self._workspace, self._layers.get)
        except (InputError, BlobError) as error:
            raise AttemptLost("checkpoint_refused", str(error)) from error

    def _opening(self, place: Place, model: Any) -> Intervene | None:
        """What puts the conversation that the episode begins with in place of the prompts; None: they stay."""
        from harness.agents.agent import Episode as Going

        episode = self.unit.episode
        if episode is None or not episode.talks:
            return None

        def begin(opening: Sequence[dict[str, Any]], ending: str | None) -> Going | None:
            if self.progress.calls:
                return None
            try:
                messages = episode.conversation(opening, place, self._layers.get)
            except BlobError as error:
                raise AttemptLost("checkpoint_refused", str(error)) from error
            return Going(messages, 0, model)

        return begin

    def _start(self, sandbox: Sandbox) -> None:
        assert self._oversight
        try:
            self._oversight.start(sandbox, self._workspace, sandbox_limits(self.unit.protocol))
        except SandboxLost as lost:
            raise AttemptLost("sandbox_lost", str(lost)) from lost

    def _intervention(self, place: Place, sandbox: Sandbox, meter: Meter, clients: Clients) -> Intervention | None:
        """What the arm does to the attempt; None: nothing."""
        from harness.monitors.online import ask_model
        from harness.recovery.intervening import Hands, Intervention
        from harness.recovery.summary import summarise
        from harness.recovery.triggers import make_trigger

        attempt = self.unit.attempt
        arm = next((arm for arm in self.unit.protocol.arms if arm.name == attempt.arm), None)
        if arm is None or arm.action is None:
            return None

        def reset() -> None:
            sandbox.stop()
            self._workspace.close()
            self._workspace = self._stack.enter_context(Workspace(place.base))
            self._start(sandbox)

        watch = Watch()
        watch.take({"type": "start", "task": attempt.task, "horizon": attempt.horizon})
        self.recorder.listener = watch.take
        hands = Hands(
            summarise=lambda: summarise(self._snapshot(), place.base, self._layers.get, place.make_sandbox()),
            reset=reset, client=clients, ask=lambda said, question: ask_model(clients.present, list(said), question),
            record=self.recorder.write, charged=self._on_charge,
            passed=lambda: self.progress.passed_call is not None,
        )  # fmt: skip
        trigger = make_trigger(arm.trigger) if arm.trigger else None
        made = Intervention(arm.action, trigger, arm.most, meter, hands, watch)
        self.outcome["interventions"] = made.applied
        return made

    def _snapshot(self) -> Layer:
        assert self._oversight
        return self._oversight.snapshot()

    def _on_charge(self, charge: Charge, alarm: bool) -> None:
        """What a monitor used: part of the attempt's calls and cost."""
        self.progress.calls = min(self.progress.calls + charge.calls, self.unit.attempt.horizon)
        self.costs.append(charge.cost_usd)
        self.recorder.write(
            "monitor", call=self.progress.calls, calls=charge.calls, cost_usd=charge.cost_usd, alarm=alarm
        )

    def _on_message(self, message: dict[str, Any]) -> None:
        self.recorder.write("message", message=message)

    def _on_context(self, kept: int) -> None:
        """The conversation goes on with its first ``kept`` messages, and others after them."""
        self.recorder.write("context", kept=kept)

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
        assert self._oversight
        try:
            layer, verdict = self._oversight.judge(call, command, result)
        except SandboxLost as lost:
            raise AttemptLost("sandbox_lost", str(lost)) from lost
        self.recorder.verdict(call, action, layer.digest, verdict, self._layers.scratch(self._workspace))
        self.actions.append(_action_record(call, action, command, result, layer, verdict))
        if verdict.state == "infra_error":
            raise AttemptLost("verifier_failure", verdict.detail)
        self.progress.judge(verdict.passed)
        self.last_layer = layer
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

    def _second_verdict(self, place: Place) -> tuple[dict[str, Any], ...]:
        """Has the task's other grader, if it has one, judge the first passing state, or else the last one."""
        passed, layer = self.passed_layer is not None, self.passed_layer or self.last_layer
        said, findings = second_verdict(place, layer, passed, self._layers.get)
        self.outcome |= said
        return findings


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
