"""The model that answers in an episode: an instrument, or an endpoint that is sent no tools."""

from __future__ import annotations

from typing import Any

from harness.models.factory import make_model
from harness.models.replies import Reply
from harness.planning.planner import nop_reply, oracle_reply, scripted_reply
from harness.protocol.planning import PlannerModel
from harness.protocol.prompts import Prompts
from harness.protocol.schema import Protocol
from harness.store.records import Attempt
from tasks.planning.task import PlanningTask


class AnswerModel:
    """Answers without a language model: always the same text, free of charge."""

    def __init__(self, name: str, reply: str):
        self._name, self._reply = name, reply

    def query(self, messages: list[dict[str, Any]], **kwargs: Any) -> dict[str, Any]:
        """The text as an assistant message; ``messages`` are not read."""
        response = Reply(self._reply, finish_reason="stop").response(self._name, 1)
        facts = {"response": response.model_dump(mode="json"), "cost": 0.0, "model": self._name}
        return {"role": "assistant", "content": self._reply, "extra": facts}


def answering_model(
    protocol: Protocol, attempt: Attempt, task: PlanningTask, prompts: Prompts, *, local_url: str | None,
    **requests: Any,
) -> Any:  # fmt: skip
    """The model of the attempt's runtime; ``requests`` bound and watch those of an endpoint (``make_model``)."""
    runtime = protocol.runtimes[attempt.runtime]
    if isinstance(runtime.model, PlannerModel):
        return AnswerModel("scripted-planner", scripted_reply(runtime.model, task, attempt.arm, attempt.seed))
    if runtime.agent == "oracle":
        return AnswerModel("oracle", oracle_reply(task.instance))
    if runtime.agent == "nop":
        return AnswerModel("nop", nop_reply())
    return make_model(protocol, runtime, task, prompts, seed=attempt.seed, local_url=local_url, **requests)
