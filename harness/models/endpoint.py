"""A litellm endpoint as mini-swe-agent's model: its request, parser and templates; our retries, limits and cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

from harness import miniswe

miniswe.prepare()

import litellm  # noqa: E402
from minisweagent.models.litellm_model import LitellmModel, LitellmModelConfig  # noqa: E402

from harness.agents.interrupts import WALL_LIMIT, AttemptLost, end_attempt  # noqa: E402
from harness.models.cost import cost_of  # noqa: E402
from harness.models.deadline import DeadlineReached, deadline  # noqa: E402
from harness.models.failures import EmptyResponse, failure_of  # noqa: E402
from harness.models.retrying import FailedRequest, RetryPolicy  # noqa: E402
from harness.protocol.models import Price  # noqa: E402
from harness.protocol.schema import Retry  # noqa: E402
from harness.worktime import WorkTime  # noqa: E402

litellm.suppress_debug_info = True  # or it prints advice into the live display

#: Longest time of one request, seconds, where neither the protocol nor the model's params say one.
REQUEST_SECONDS = 600.0


class EndpointModel(LitellmModel):  # type: ignore[misc]
    """One model behind litellm.

    Args:
        name: litellm's model name, provider first.
        params: sent with every request.
        retry: how often and how long a call may be retried; waiting is between requests only.
        price: overrides litellm's price table.
        work: the attempt's working time, whose limit also bounds each request; None: unlimited.
        slot: entered around each request; entering may block, which is waiting too.
        on_failure: told of each request that got no usable answer.
        sleep: waits between requests.
    """

    def __init__(
        self,
        name: str,
        params: dict[str, Any],
        *,
        retry: Retry,
        price: Price | None,
        work: WorkTime | None = None,
        slot: Callable[[], AbstractContextManager[None]] = nullcontext,
        on_failure: Callable[[FailedRequest], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
        **templates: str,
    ):
        super().__init__(
            config_class=LitellmModelConfig, model_name=name, cost_tracking="ignore_errors",
            # The provider's client would try twice more by itself, beside the protocol's tries and waits.
            model_kwargs={**params, "max_retries": 0}, **templates,
        )  # fmt: skip
        self._price, self._slot = price, slot
        self._work = work or WorkTime()
        self._retrying = RetryPolicy(retry, self._work, on_failure, sleep)
        said = (retry.request_seconds, params.get("timeout"))
        self._request_seconds = float(min((s for s in said if isinstance(s, int | float)), default=REQUEST_SECONDS))

    def query(self, messages: list[dict[str, Any]], **kwargs: Any) -> dict[str, Any]:
        """One call.

        Raises:
            AttemptLost: the provider failed after all retries; says nothing about the agent.
        """
        prepared = self._prepare_messages_for_api(messages)
        try:
            response = self._retrying(lambda: self._ask(prepared, **kwargs))
        except (Exception, DeadlineReached) as error:
            raise _meaning(error) from error
        facts = {**self._calculate_cost(response), "model": getattr(response, "model", None)}
        try:
            actions = self._parse_actions(response)
        except Exception as error:
            first = (getattr(error, "messages", None) or [{}])[0]
            first.setdefault("extra", {}).update(facts, response=_plain(response))
            raise
        message = _message(response.choices[0].message)
        message["extra"] = {"actions": actions, "response": _plain(response), **facts}
        return message

    def _ask(self, messages: list[dict[str, Any]], **kwargs: Any) -> Any:
        """One request, which ends with its own limit or with the attempt's."""
        with ExitStack() as held:
            with self._work.waiting():
                held.enter_context(self._slot())
            left = self._work.left
            if left <= 0:
                raise end_attempt(WALL_LIMIT)
            try:
                with deadline(min(self._request_seconds, left)):
                    # The client's own timeout stays the longer one where the attempt's limit is nearer: what fires then
                    # is that limit, and no passing failure of the provider.
                    response = self._query(messages, timeout=self._request_seconds, **kwargs)
            except DeadlineReached:
                if left < self._request_seconds:
                    raise end_attempt(WALL_LIMIT) from None
                raise
        if not response.choices:
            raise EmptyResponse("the response has no choices")
        return response

    def _prepare_messages_for_api(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        # A model that once wrote half a surrogate pair could otherwise never be asked again.
        prepared: list[dict[str, Any]] = _sendable(super()._prepare_messages_for_api(messages))
        return prepared

    def _calculate_cost(self, response: Any) -> dict[str, Any]:
        """US dollars; ``cost_known`` is false without a price or without usage."""
        cost = cost_of(response, self.config.model_name, self._price)
        return {"cost": cost or 0.0, "cost_known": cost is not None}


def _meaning(error: BaseException) -> BaseException:
    """What the last error of a call says: an end of the attempt (agent outcome), a loss (infrastructure), or itself."""
    failure = failure_of(error)
    if failure is None:
        return error
    if failure.verdict == "outcome":
        return end_attempt(failure.name)
    reason = "provider_outage" if failure.verdict == "passing" else failure.name
    return AttemptLost(reason, str(error) or f"no answer in time ({failure.name})")


def _sendable(value: Any) -> Any:
    """``value`` with what UTF-8 cannot carry replaced by question marks."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case dict():
            return {key: _sendable(child) for key, child in value.items()}
        case list():
            return [_sendable(child) for child in value]
    return value


def _message(message: Any) -> dict[str, Any]:
    """The assistant's message as data; where it holds what is none, the fields that the conversation needs."""
    try:
        return dict(message.model_dump(mode="json"))
    except Exception:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": asked.name, "arguments": asked.arguments}}
            for call in message.tool_calls or []
            for asked in [call.function]
        ]
        return {"role": "assistant", "content": message.content, "tool_calls": calls or None}


def _plain(response: Any) -> Any:
    """The response as data, else as text: what pydantic cannot serialise must not cost the trajectory."""
    for attempt in (lambda: response.model_dump(mode="json"), lambda: repr(response)):
        try:
            return attempt()
        except Exception:  # circular, or of a type of its own making
            continue
    return f"a {type(response).__name__} that cannot be shown"
