"""A litellm endpoint as mini-swe-agent's model: its request, parser and templates; our retries and cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import miniswe

miniswe.prepare()

import litellm  # noqa: E402
import tenacity  # noqa: E402
from minisweagent.models.litellm_model import LitellmModel, LitellmModelConfig  # noqa: E402

from harness.agents.interrupts import AttemptLost, end_attempt  # noqa: E402
from harness.protocol.models import Price  # noqa: E402
from harness.protocol.schema import Retry  # noqa: E402

litellm.suppress_debug_info = True  # or it prints advice into the live display

_PASSING = (
    litellm.exceptions.RateLimitError,
    litellm.exceptions.Timeout,
    litellm.exceptions.APIConnectionError,
    litellm.exceptions.InternalServerError,
    litellm.exceptions.ServiceUnavailableError,
    litellm.exceptions.BadGatewayError,
    litellm.exceptions.APIError,
)
#: Answers of kind 4xx that another try may mend: timed out, conflict, too early, too many.
_PASSING_STATUS = (408, 409, 425, 429)
_DENIED_STATUS = (401, 402, 403)
#: What providers say when a prompt does not fit, where litellm does not recognise it.
_OVERFLOW = ("context length", "context window", "maximum context", "exceeds the available context", "context size")


def _refused(error: BaseException) -> bool:
    """Whether the provider will say no again."""
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and 400 <= status < 500 and status not in _PASSING_STATUS


class EndpointModel(LitellmModel):  # type: ignore[misc]
    """One model behind litellm.

    Args:
        name: litellm's model name, provider first.
        params: sent with every request.
        retry: how often and how long a call may be retried; waiting is between requests only.
        price: overrides litellm's price table.
    """

    def __init__(self, name: str, params: dict[str, Any], *, retry: Retry, price: Price | None, **templates: str):
        super().__init__(
            config_class=LitellmModelConfig, model_name=name, cost_tracking="ignore_errors",
            # The provider's client would try twice more by itself, beside the protocol's tries and waits.
            model_kwargs={"max_retries": 0, **params}, **templates,
        )  # fmt: skip
        self._price = price
        self._retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda error: isinstance(error, _PASSING) and not _refused(error)),
            stop=tenacity.stop_after_attempt(retry.max_tries),
            wait=tenacity.wait_random_exponential(multiplier=1, max=retry.wait_seconds_max),
            reraise=True,
        )

    def query(self, messages: list[dict[str, Any]], **kwargs: Any) -> dict[str, Any]:
        """One call.

        Raises:
            AttemptLost: the provider failed after all retries; says nothing about the agent.
        """
        response = self._guarded(
            lambda: self._retrying(self._query, self._prepare_messages_for_api(messages), **kwargs)
        )
        facts = {**self._calculate_cost(response), "model": getattr(response, "model", None)}
        try:
            actions = self._parse_actions(response)
        except Exception as error:
            first = (getattr(error, "messages", None) or [{}])[0]
            first.setdefault("extra", {}).update(facts, response=_plain(response))
            raise
        message: dict[str, Any] = response.choices[0].message.model_dump()
        message["extra"] = {"actions": actions, "response": _plain(response), **facts}
        return message

    def _query(self, messages: list[dict[str, Any]], **kwargs: Any) -> Any:
        response = super()._query(messages, **kwargs)
        if not response.choices:
            raise litellm.exceptions.APIError(
                status_code=502, message="the response has no choices", llm_provider="", model=self.config.model_name
            )
        return response

    def _prepare_messages_for_api(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        # A model that once wrote half a surrogate pair could otherwise never be asked again.
        prepared: list[dict[str, Any]] = _sendable(super()._prepare_messages_for_api(messages))
        return prepared

    def _guarded(self, ask: Callable[[], Any]) -> Any:
        """Sorts errors into ends of the attempt (agent outcomes) and losses (infrastructure)."""
        try:
            return ask()
        except litellm.exceptions.ContextWindowExceededError as error:
            raise end_attempt("context_overflow") from error
        except litellm.exceptions.ContentPolicyViolationError as error:
            raise end_attempt("refusal") from error
        except litellm.exceptions.BadRequestError as error:
            if any(sign in str(error).lower() for sign in _OVERFLOW):
                raise end_attempt("context_overflow") from error
            raise AttemptLost("provider_rejected", str(error)) from error
        except (litellm.exceptions.AuthenticationError, litellm.exceptions.PermissionDeniedError) as error:
            raise AttemptLost("provider_denied", str(error)) from error
        except (*_PASSING, litellm.exceptions.NotFoundError) as error:
            if any(sign in str(error).lower() for sign in _OVERFLOW):
                raise end_attempt("context_overflow") from error
            if getattr(error, "status_code", None) in _DENIED_STATUS:
                raise AttemptLost("provider_denied", str(error)) from error
            raise AttemptLost("provider_rejected" if _refused(error) else "provider_outage", str(error)) from error

    def _calculate_cost(self, response: Any) -> dict[str, Any]:
        """US dollars; ``cost_known`` is false without a price (of protocol or litellm; 0 is one) or without usage."""
        usage = getattr(response, "usage", None)
        sent, received = (int(getattr(usage, name, 0) or 0) for name in ("prompt_tokens", "completion_tokens"))
        price = self._price
        if price is not None and not price.input_per_million and not price.output_per_million:
            return {"cost": 0.0, "cost_known": True}
        if not sent + received:  # litellm fills zeros in where the provider does not count
            return {"cost": 0.0, "cost_known": False}
        if price is not None:
            spent = sent * price.input_per_million + received * price.output_per_million
            return {"cost": spent / 1e6, "cost_known": True}
        try:
            known = litellm.get_model_info(self.config.model_name)
            if known.get("input_cost_per_token") is None:
                raise ValueError("no price")
            return {"cost": float(litellm.completion_cost(response, model=self.config.model_name)), "cost_known": True}
        except Exception:  # litellm raises bare Exception for a model that its table does not have
            return {"cost": 0.0, "cost_known": False}


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


def _plain(response: Any) -> Any:
    try:
        return response.model_dump(mode="json")
    except Exception:  # an object that pydantic cannot serialise must not cost the trajectory
        return repr(response)
