"""Sorts what can go wrong with a request: an outcome of the agent, a loss for good, or a failure that may pass."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from harness import miniswe

miniswe.prepare()

import httpx  # noqa: E402
import litellm  # noqa: E402
import openai  # noqa: E402
from litellm.llms.openai.common_utils import OpenAIError  # noqa: E402

from harness.models.deadline import DeadlineReached  # noqa: E402
from harness.protocol.schema import FailureClass  # noqa: E402

#: Answers of kind 4xx that another try may mend: timed out, conflict, too early, too many.
_PASSING_STATUS = (408, 409, 425, 429)
_DENIED_STATUS = (401, 402, 403)
#: What providers say when a prompt does not fit, where litellm does not recognise it.
_OVERFLOW = ("context length", "context window", "maximum context", "exceeds the available context", "context size")
#: Codes in the body of an error, where its words say less.
_OVERFLOW_CODES = ("context_length_exceeded",)
_REFUSAL_CODES = ("content_policy_violation", "content_filter")


class EmptyResponse(Exception):
    """A response that holds no message."""


@dataclass(frozen=True)
class Failure:
    """What a failed request means."""

    verdict: Literal["outcome", "lost", "passing"]
    """``outcome``: of the agent, ends the attempt; ``lost``: asking again is no use; ``passing``: it may be."""
    name: str
    """The status that ends the attempt, the reason of the loss, or the class of the failure (schema.FailureClass)."""
    status: int | None = None
    """HTTP status, where an HTTP answer came."""
    retry_after: float | None = None
    """Seconds that the provider asks to wait."""


def failure_of(error: BaseException) -> Failure | None:
    """What ``error`` of a litellm request means; None for errors that are none of the provider."""
    if isinstance(error, DeadlineReached):
        return Failure("passing", "timeout")
    if isinstance(error, EmptyResponse):
        return Failure("passing", "malformed_response")
    if not isinstance(error, (openai.OpenAIError, httpx.HTTPError)):
        return None
    exceptions, status, causes = litellm.exceptions, _status(error), list(_causes(error))
    codes = {str(getattr(cause, "code", None)) for cause in causes}
    overflow = any(sign in str(error).lower() for sign in _OVERFLOW) or not codes.isdisjoint(_OVERFLOW_CODES)
    if isinstance(error, exceptions.ContextWindowExceededError) or (overflow and status not in _PASSING_STATUS):
        return Failure("outcome", "context_overflow", status)
    if isinstance(error, exceptions.ContentPolicyViolationError) or not codes.isdisjoint(_REFUSAL_CODES):
        return Failure("outcome", "refusal", status)
    if _status_is_made_up(error, causes):
        return Failure("passing", _class(error, None, causes))
    if status in _DENIED_STATUS:
        return Failure("lost", "provider_denied", status)
    if status is not None and 400 <= status < 500 and status not in _PASSING_STATUS:
        return Failure("lost", "provider_rejected", status)
    return Failure("passing", _class(error, status, causes), status, _retry_after(error))


def _status(error: BaseException) -> int | None:
    """The HTTP status, also the one that litellm makes up where no answer came."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _status_is_made_up(error: BaseException, causes: list[BaseException]) -> bool:
    """Whether litellm made an error of an answer that the client took: status 200 with an error in its body, say."""
    return any(isinstance(cause, OpenAIError) for cause in _chain(error)) and not any(
        isinstance(cause, openai.OpenAIError) for cause in causes
    )


def _class(error: BaseException, status: int | None, causes: list[BaseException]) -> FailureClass:
    if isinstance(error, openai.RateLimitError) or status == 429:
        return "rate_limit"
    if isinstance(error, openai.APITimeoutError) or status == 408:
        return "timeout"
    # litellm calls most of the rest internal server errors; the causes tell what really came over the wire.
    if any(isinstance(cause, (openai.APITimeoutError, httpx.TimeoutException)) for cause in causes):
        return "timeout"
    if any(isinstance(cause, (openai.APIConnectionError, httpx.TransportError, OSError)) for cause in causes):
        return "connection"
    if any(isinstance(cause, (openai.APIStatusError, httpx.HTTPStatusError)) for cause in causes):
        return "server_error"
    return "malformed_response"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """``error`` and what led to it."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What led to ``error``, without litellm's own exceptions, which all derive from the client's."""
    return (cause for cause in _chain(error) if not type(cause).__module__.startswith("litellm."))


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(error, "litellm_response_headers", None)
    return retry_after_seconds(headers or getattr(getattr(error, "response", None), "headers", None), time.time())


def retry_after_seconds(headers: Any, now: float) -> float | None:
    """Seconds of a Retry-After header, which is a number or a date (``now`` is the time of day); None if unsound."""
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            seconds = float(milliseconds) / 1000
        else:
            text = str(headers.get("retry-after"))
            date = email.utils.parsedate_tz(text)
            seconds = email.utils.mktime_tz(date) - now if date else float(text)
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
