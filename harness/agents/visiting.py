"""Drives an agent of another package: it gets a model and an environment that nothing passes unrecorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import miniswe

miniswe.prepare()

from minisweagent.exceptions import FormatError  # noqa: E402

from harness.agents.interface import AgentMaker  # noqa: E402
from harness.agents.interrupts import exit_message, stop_class  # noqa: E402
from harness.agents.meter import Meter  # noqa: E402
from harness.recorder import mark_of  # noqa: E402

#: How an attempt ends whose agent returned, or raised an error of its own making.
STOPPED, ERROR = "agent_stopped", "agent_error"


class AttemptOver(BaseException):
    """The attempt has ended and its agent goes on all the same; no ``except Exception`` holds it up."""


class _Door:
    """Remembers the first exception that ended the attempt; afterwards nothing goes through."""

    def __init__(self) -> None:
        self.end: BaseException | None = None

    def through(self, deed: Callable[[], Any]) -> Any:
        if self.end is not None:
            raise AttemptOver
        try:
            return deed()
        except FormatError:
            raise  # a malformed reply, which an agent answers
        except BaseException as error:
            self.end = error
            raise


class TurnModel:
    """Stands in for the model of a runtime that has none: each query is a turn, with an empty reply."""

    def __init__(self, name: str, template: str):
        self._name, self._template = name, template

    def query(self, messages: list[dict[str, Any]], **kwargs: Any) -> dict[str, Any]:
        return {"role": "assistant", "content": "", "extra": {"actions": [], "cost": 0.0, "model": self._name}}

    def format_message(self, **kwargs: Any) -> dict[str, Any]:
        return kwargs

    def format_observation_messages(
        self, message: dict[str, Any], outputs: list[dict[str, Any]], template_vars: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """One user message per output, by the stage's observation template."""
        from jinja2 import StrictUndefined, Template

        render = Template(self._template, undefined=StrictUndefined).render
        return [{"role": "user", "content": render(output=output, **(template_vars or {}))} for output in outputs]

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        return {"model_name": self._name}

    def serialize(self) -> dict[str, Any]:
        return {}


class VisitedModel:
    """The model as the agent sees it: calls go through the meter, and what is said to it is recorded.

    An agent may rewrite its conversation; then a line ``context`` says how many messages it kept.
    """

    def __init__(
        self, model: Any, meter: Meter, door: _Door, on_message: Callable[[dict[str, Any]], None],
        on_context: Callable[[int], None],
    ):  # fmt: skip
        self._model, self._meter, self._door = model, meter, door
        self._on_message, self._on_context = on_message, on_context
        self._known: list[str] = []
        self.config = getattr(model, "config", None)

    def query(self, messages: list[dict[str, Any]], **kwargs: Any) -> dict[str, Any]:
        """One call of the attempt; ``kwargs`` are not passed on, as sampling is the stage's."""
        reply: dict[str, Any] = self._door.through(lambda: self._ask(messages))
        return reply

    def _ask(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        self._listen(messages)
        try:
            reply = self._meter.ask(self._model, messages)
        except FormatError as error:
            for message in error.messages:
                self._hear(message)
            raise
        self._hear(reply)
        return reply

    def _listen(self, messages: list[dict[str, Any]]) -> None:
        marks = [mark_of(message) for message in messages]
        kept = next((n for n, (a, b) in enumerate(zip(self._known, marks, strict=False)) if a != b), None)
        if kept is None:
            kept = min(len(self._known), len(marks))
        if kept < len(self._known):
            self._on_context(kept)
            del self._known[kept:]
        for message in messages[kept:]:
            self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        self._on_message(message)
        self._known.append(mark_of(message))

    def format_message(self, **kwargs: Any) -> dict[str, Any]:
        message: dict[str, Any] = self._model.format_message(**kwargs)
        return message

    def format_observation_messages(
        self, message: dict[str, Any], outputs: list[dict[str, Any]], template_vars: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = self._model.format_observation_messages(message, outputs, template_vars)
        return made

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = self._model.get_template_vars(**kwargs)
        return found

    def serialize(self) -> dict[str, Any]:
        return {}


class VisitedEnvironment:
    """The environment as the agent sees it: every action belongs to a call."""

    def __init__(self, environment: Any, meter: Meter, door: _Door):
        self._environment, self._meter, self._door = environment, meter, door
        self.config = environment.config

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        """One action of the last call."""
        if self._meter.calls == 0:
            raise ValueError("an action belongs to a model call: query the model first")
        observation: dict[str, Any] = self._door.through(lambda: self._environment.execute(action))
        return observation

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = self._environment.get_template_vars(**kwargs)
        return found

    def serialize(self) -> dict[str, Any]:
        found: dict[str, Any] = self._environment.serialize()
        return found


def visit(
    make: AgentMaker, model: Any, environment: Any, meter: Meter, *, task: str, seed: int,
    on_message: Callable[[dict[str, Any]], None], on_context: Callable[[int], None],
    on_error: Callable[[BaseException], None], **config: Any,
) -> str:  # fmt: skip
    """Lets an agent of another package work; returns the status that ended the attempt.

    What model or environment raised decides, whatever the agent made of it. Else the agent stopped by itself: content
    or not, that is its outcome, and so is an error of its own making (``on_error`` is told of it).

    Raises:
        AttemptLost: infrastructure failed under it.
    """
    door = _Door()
    theirs = VisitedModel(model, meter, door, on_message, on_context), VisitedEnvironment(environment, meter, door)
    status = STOPPED
    try:
        agent = make(*theirs, step_limit=0, cost_limit=0.0, seed=seed, **config)
        ended = agent.run(task=task)
        if isinstance(ended, dict) and ended.get("exit_status") == "RepeatedFormatError":
            status = "RepeatedFormatError"
    except (Exception, AttemptOver) as error:
        if door.end is None:
            on_error(error)
            status = ERROR
    if door.end is not None:
        if not isinstance(door.end, stop_class()):
            raise door.end
        status = str(door.end.status)  # type: ignore[attr-defined]
    on_message(exit_message(status))
    return status
