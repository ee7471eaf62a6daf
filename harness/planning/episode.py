"""Runs one try of an episode: a checkpoint, a recovery action, one response, the verdict on it."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness import miniswe
from harness.agents.interrupts import AttemptLost, stop_class
from harness.attempt import Lost, Unit
from harness.environment import host_environment
from harness.errors import InfrastructureError
from harness.outcome import Progress, event_of, known_total
from harness.planning.conversation import conversation
from harness.planning.models import answering_model
from harness.protocol.prompts import load_prompts
from harness.recorder import Recorder
from harness.store.records import TryResult
from harness.worktime import WorkTime
from tasks.planning.task import PlanningTask
from tasks.registry import load_task
from verifiers.planning import PlanVerdict, judge_answer, verifier_digest

if TYPE_CHECKING:
    from harness.models.retrying import FailedRequest

#: Reasons of terminal events by the verdict's state.
REASONS = {"malformed": "malformed_answer", "infeasible": "infeasible_plan", "suboptimal": "suboptimal_plan"}


@dataclass
class Episode:
    """One try; ``run`` it once."""

    unit: Unit
    recorder: Recorder
    calls: int = 0
    costs: list[float | None] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)
    first: str = ""
    """What the verifier says of the checkpoint's answer."""

    def run(self) -> TryResult | Lost:
        """To its end. Whatever happens, the trajectory file holds every step up to there."""
        began = time.monotonic()
        try:
            task = self._task()
            try:
                verdict = self._judged(task, self._reply(task))
            except stop_class() as end:
                status = str(end.status)  # type: ignore[attr-defined]
                event, call, reason = event_of(Progress(calls=self.calls), status)
                # Refused or too long for the model: its failure. Cut off by a limit: nobody's answer.
                kind = "model_protocol_failure" if event == "terminal" else "invalid_adapter_attempt"
                self._note(task, "unanswered", 0.0, kind)
            else:
                event, call = ("verified" if verdict.strict else "terminal"), 1
                reason = REASONS.get(verdict.state)
                failed = verdict.state == "malformed"
                provenance = "model_protocol_failure" if failed else "native_verifier_observed"
                self._note(task, verdict.state, verdict.public, provenance)
        except AttemptLost as lost:
            self.recorder.write("lost", reason=lost.reason, detail=lost.detail)
            return Lost(
                lost.reason, lost.detail, self.calls, time.monotonic() - began, known_total(self.costs),
                self.outcome | {"detail": lost.detail[:500]}, (),
            )  # fmt: skip
        self.recorder.write("end", event=event, call=call, reason=reason)
        return TryResult(
            event=event, call=call, calls=self.calls, wall_s=time.monotonic() - began,
            action=0 if event == "verified" else None, reason=reason, cost_usd=known_total(self.costs),
            outcome=self.outcome,
        )  # fmt: skip

    def _task(self) -> PlanningTask:
        task = load_task(self.unit.attempt.task)
        if task.digest != self.unit.task_digest:
            raise AttemptLost("task_changed", f"{task.id} is not what the frozen stage names any more")
        assert isinstance(task, PlanningTask) and self.unit.protocol.planning is not None
        self.outcome |= {"host": host_environment(), "verifier": verifier_digest(task)}
        self.first = _verdict(task, self.unit.protocol.planning.answers[task.id]).state
        return task

    def _reply(self, task: PlanningTask) -> str:
        """The one response, as text."""
        miniswe.prepare()
        from harness.agents.meter import Meter

        protocol, attempt = self.unit.protocol, self.unit.attempt
        assert protocol.planning is not None
        (action,) = (one for one in protocol.planning.actions if one.name == attempt.arm)
        prompts = load_prompts(protocol.agent.prompts)
        messages = conversation(prompts, task, protocol.planning.answers[task.id], action)
        for message in messages:
            self.recorder.write("message", message=message)
        work, places = WorkTime(protocol.limits.wall_seconds), self.unit.slots.model_calls
        with work.waiting():  # the first model of a process is slow to import
            model = answering_model(
                protocol, attempt, task, prompts, local_url=self.unit.local_url, work=work,
                slot=places.taken if places else nullcontext, on_failure=self._on_failure,
            )  # fmt: skip
        meter = Meter(
            self._on_call, horizon=1, cost_limit=protocol.limits.cost_usd, token_limit=protocol.limits.tokens, work=work
        )
        try:
            message = meter.ask(model, messages)
        finally:
            self.outcome["waiting_s"] = round(work.waiting_s, 3)
        self.recorder.write("message", message=message)
        return _text(message.get("content"))

    def _judged(self, task: PlanningTask, reply: str) -> PlanVerdict:
        began = time.monotonic()
        verdict = _verdict(task, reply)
        seconds = time.monotonic() - began
        self.recorder.write("verdict", call=1, action=0, seconds=seconds, cached=False, **verdict.data())
        return verdict

    def _note(self, task: PlanningTask, state: str, public: float, provenance: str) -> None:
        """Keeps what the tensor needs with the try."""
        self.outcome["planning"] = {
            "state": state, "public": public, "strict": int(state == "optimal"), "provenance": provenance,
            "stratum": task.size, "first": self.first,
        }  # fmt: skip

    def _on_call(self, call: int, extra: dict[str, Any], parsed: bool) -> None:
        self.calls = call
        cost = extra.get("cost") if extra.get("cost_known", True) else None
        self.costs.append(None if cost is None else float(cost))
        if extra.get("model"):
            self.outcome["model_returned"] = str(extra["model"])
        self.recorder.write("call", call=call, parsed=parsed, cost_usd=cost)

    def _on_failure(self, failed: FailedRequest) -> None:
        """A request that got no usable answer, be it asked again or not."""
        known = self.outcome.setdefault("failed_requests", {})
        known[failed.failure.name] = known.get(failed.failure.name, 0) + 1
        self.recorder.write(
            "failed_request", call=self.calls + 1, request=failed.number, reason=failed.failure.name,
            status=failed.failure.status, seconds=failed.seconds, detail=failed.detail[:500],
        )  # fmt: skip


def _verdict(task: PlanningTask, reply: str) -> PlanVerdict:
    try:
        return judge_answer(task.instance, reply)
    except InfrastructureError as error:
        raise AttemptLost("verifier_failure", str(error)) from error


def _text(content: Any) -> str:
    """Content as text: some providers send it in parts, some send none."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
