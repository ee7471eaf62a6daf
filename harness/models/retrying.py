"""The protocol's retry policy: which failed requests are asked again, how often, after which waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import tenacity

from harness.models.failures import Failure, failure_of
from harness.protocol.schema import FailureClass, Retry
from harness.worktime import WorkTime


@dataclass(frozen=True)
class FailedRequest:
    """A request that got no usable answer."""

    number: int
    """Of the request within its call, from 1."""
    failure: Failure
    detail: str
    seconds: float
    """Time until it failed."""


class RetryPolicy:
    """Asks until there is an answer, a failure that will not pass, or no try left.

    The time of a request that failed in passing and the wait after it are waiting, not work (``WorkTime``).

    Args:
        retry: the protocol's section.
        on_failure: told of each failed request.
        sleep: waits for seconds.
    """

    def __init__(
        self, retry: Retry, work: WorkTime, on_failure: Callable[[FailedRequest], None],
        sleep: Callable[[float], None] = time.sleep,
    ):  # fmt: skip
        self._retry, self._work, self._on_failure, self._sleep = retry, work, on_failure, sleep
        self._classes = frozenset(get_args(FailureClass) if retry.classes is None else retry.classes)
        self._jitter = tenacity.wait_random_exponential(multiplier=1, max=retry.wait_seconds_max)

    def __call__(self, ask: Callable[[], Any]) -> Any:
        """What ``ask`` returns, or the error of its last try."""
        number = 0

        def once() -> Any:
            nonlocal number
            number, began = number + 1, self._work.now()
            try:
                return ask()
            except BaseException as error:  # a deadline is no Exception
                self._note(number, error, began)
                raise

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(self._may_pass),
            stop=tenacity.stop_after_attempt(self._retry.max_tries),
            wait=self._wait, sleep=self._rest, reraise=True,
        )  # fmt: skip
        return retrying(once)

    def _note(self, number: int, error: BaseException, began: float) -> None:
        failure = failure_of(error)
        if failure is None:
            return
        now = self._work.now()
        if failure.verdict == "passing":
            self._work.waited(began, now)
        self._on_failure(FailedRequest(number, failure, str(error), now - began))

    def _may_pass(self, error: BaseException) -> bool:
        failure = failure_of(error)
        return failure is not None and failure.verdict == "passing" and failure.name in self._classes

    def _wait(self, state: tenacity.RetryCallState) -> float:
        """Exponential with jitter, at least what the provider asks for, never above the cap."""
        error = state.outcome.exception() if state.outcome else None
        failure = failure_of(error) if error else None
        asked = failure.retry_after if failure and failure.retry_after is not None else 0.0
        return float(min(self._retry.wait_seconds_max, max(asked, self._jitter(state))))

    def _rest(self, seconds: float) -> None:
        with self._work.waiting():
            self._sleep(seconds)
