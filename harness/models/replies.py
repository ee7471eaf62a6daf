"""Models that answer without a language model, through the same response objects and parser as a real one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

#: mini-swe-agent's submission: a command that is this, alone or before ``&&``.
SUBMISSION = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


class FunctionCall(BaseModel):
    """Name and JSON text of the arguments, as a provider sends them."""

    name: str
    arguments: str


class ToolCall(BaseModel):
    """One tool call of an assistant message."""

    id: str
    type: Literal["function"] = "function"
    function: FunctionCall


class AssistantMessage(BaseModel):
    """The message of a choice."""

    role: Literal["assistant"] = "assistant"
    content: str
    tool_calls: list[ToolCall] | None


class Choice(BaseModel):
    """The only choice of a response."""

    index: int = 0
    finish_reason: str
    message: AssistantMessage


class ChatResponse(BaseModel):
    """An OpenAI-style chat completion, as far as mini-swe-agent reads it. It has no usage: no tokens were spent."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    model: str
    choices: list[Choice]


@dataclass(frozen=True)
class Reply:
    """One answer: the text, and the (name, arguments) of its tool calls."""

    thought: str
    calls: tuple[tuple[str, str], ...] = ()
    finish_reason: str = "tool_calls"

    def response(self, model: str, call: int) -> ChatResponse:
        """The provider's response object for query number ``call``; the ids follow from it."""
        tool_calls = [
            ToolCall(id=f"call_{call}_{n}", function=FunctionCall(name=name, arguments=arguments))
            for n, (name, arguments) in enumerate(self.calls, 1)
        ]
        message = AssistantMessage(content=self.thought, tool_calls=tool_calls or None)
        choice = Choice(finish_reason=self.finish_reason, message=message)
        return ChatResponse(id=f"chatcmpl-{call}", model=model, choices=[choice])


def acting(thought: str, *commands: str) -> Reply:
    """A well-formed reply that runs ``commands`` as separate actions."""
    return Reply(f"THOUGHT: {thought}", tuple(("bash", json.dumps({"command": command})) for command in commands))


class ReplyConfig(BaseModel):
    """Settings of a model without a language model."""

    model_name: str
    """Also the model id that its responses carry."""
    observation_template: str
    """Jinja template of an observation."""
    format_error_template: str
    """Jinja template of the answer to a reply that does not parse."""
    seed: str
    """Decimal; text because it has 64 bits, more than a JSON number carries safely."""
    horizon: int
    """Calls that the attempt is allowed."""


class ReplyModel:
    """mini-swe-agent's ``Model`` protocol over an endless stream of replies, each at the same cost in US dollars."""

    def __init__(self, config: ReplyConfig, replies: Iterator[Reply], cost_usd: float = 0.0):
        self.config, self._cost = config, cost_usd
        self._replies = replies
        self._calls = 0

    def query(self, messages: list[dict[str, Any]], **kwargs: Any) -> dict[str, Any]:
        """The next reply as an assistant message; ``messages`` are not read.

        Raises:
            minisweagent.exceptions.FormatError: the reply does not parse; the error carries cost and response.
        """
        from minisweagent.exceptions import FormatError
        from minisweagent.models.utils.actions_toolcall import parse_toolcall_actions

        self._calls += 1
        response = next(self._replies).response(self.config.model_name, self._calls)
        facts = {"response": response.model_dump(mode="json"), "cost": self._cost, "model": self.config.model_name}
        choice = response.choices[0]
        try:
            actions = parse_toolcall_actions(
                choice.message.tool_calls or [],
                format_error_template=self.config.format_error_template,
                template_kwargs={"finish_reason": choice.finish_reason},
            )
        except FormatError as error:
            error.messages[0]["extra"].update(facts)
            raise
        return choice.message.model_dump() | {"extra": {"actions": actions, **facts, "timestamp": time.time()}}

    def consulted(self) -> tuple[str, float]:
        """What it answers to a question beside its work, and the cost, US dollars. This one has nothing to say."""
        return "", self._cost

    def format_message(self, **kwargs: Any) -> dict[str, Any]:
        """A message as it is."""
        return kwargs

    def format_observation_messages(
        self, message: dict[str, Any], outputs: list[dict[str, Any]], template_vars: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """One tool message per action of ``message``."""
        from minisweagent.models.utils.actions_toolcall import format_toolcall_observation_messages

        return format_toolcall_observation_messages(
            actions=message.get("extra", {}).get("actions", []),
            outputs=outputs,
            observation_template=self.config.observation_template,
            template_vars=template_vars,
        )

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        """Variables for the prompt templates."""
        return self.config.model_dump()

    def serialize(self) -> dict[str, Any]:
        """Settings and type, in the shape of mini-swe-agent's trajectories."""
        kind = f"{type(self).__module__}.{type(self).__name__}"
        return {"info": {"config": {"model": self.config.model_dump(mode="json", by_alias=True), "model_type": kind}}}
