"""The retry policy on a clock of our own: which failures are asked again, how often, after which waits."""

from __future__ import annotations

import email.utils
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import miniswe

miniswe.prepare()

import httpx  # noqa: E402
import litellm  # noqa: E402

from harness.models.deadline import DeadlineReached  # noqa: E402
from harness.models.failures import EmptyResponse, failure_of, retry_after_seconds  # noqa: E402
from harness.models.retrying import FailedRequest, RetryPolicy  # noqa: E402
from harness.protocol.schema import FailureClass, Retry  # noqa: E402
from harness.worktime import WorkTime  # noqa: E402


@dataclass
class World:
    """A clock that moves when somebody sleeps or asks."""

    at: float = 0.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds


def _response(status: int, **headers: str) -> httpx.Response:
    return httpx.Response(status, headers=headers, request=httpx.Request("POST", "http://127.0.0.1/"))


def rate_limit(**headers: str) -> Exception:
    return litellm.exceptions.RateLimitError("slow down", "openai", "m", response=_response(429, **headers))


def caused(cause: BaseException) -> Exception:
    """litellm's habit: whatever happened is an internal server error."""
    error = litellm.exceptions.InternalServerError("no", "openai", "m")
    error.__cause__ = cause
    return error


BY_CLASS: dict[FailureClass, Callable[[], BaseException]] = {
    "rate_limit": rate_limit,
    "timeout": DeadlineReached,
    "connection": lambda: caused(httpx.ReadError("reset")),
    "server_error": lambda: caused(
        httpx.HTTPStatusError("500", request=_response(500).request, response=_response(500))
    ),
    "malformed_response": lambda: caused(json.JSONDecodeError("no", "", 0)),
}


def run(
    world: World, *errors: BaseException | str, seconds: float = 0.0, **settings: Any
) -> tuple[Any, list[FailedRequest], WorkTime, int]:
    """(answer or error, failed requests, working time, requests made); a text is an answer, the last error repeats."""
    work, failed, asked = WorkTime(clock=world.clock), list[FailedRequest](), 0

    def ask() -> str:
        nonlocal asked
        asked += 1
        world.at += seconds
        found = errors[min(asked, len(errors)) - 1]
        if isinstance(found, str):
            return found
        raise found

    retry = Retry(**{"max_tries": 4, "wait_seconds_max": 60.0} | settings)
    policy = RetryPolicy(retry, work, failed.append, world.sleep)
    try:
        return policy(ask), failed, work, asked
    except (Exception, DeadlineReached) as error:
        return error, failed, work, asked


@pytest.mark.parametrize("name", get_args(FailureClass))
def test_each_class_is_recognised_and_retried_by_default(name: FailureClass) -> None:
    found = failure_of(BY_CLASS[name]())
    assert found is not None
    assert (found.verdict, found.name) == ("passing", name)
    answer, failed, _, asked = run(World(), BY_CLASS[name](), "answer")
    assert (answer, asked) == ("answer", 2)
    assert [(one.number, one.failure.name) for one in failed] == [(1, name)]


@pytest.mark.parametrize("name", get_args(FailureClass))
def test_a_protocol_may_leave_classes_out(name: FailureClass) -> None:
    world = World()
    others = [other for other in get_args(FailureClass) if other != name]
    error = BY_CLASS[name]()
    answer, failed, _, asked = run(world, error, "answer", classes=others)
    assert answer is error
    assert (asked, world.slept) == (1, [])
    assert [one.failure.name for one in failed] == [name]
    assert run(World(), BY_CLASS[name](), "answer", classes=[name])[0] == "answer"
    assert run(World(), BY_CLASS[name](), "answer", classes=[])[3] == 1


@pytest.mark.parametrize("most", [1, 2, 7])
def test_the_tries_of_the_protocol_are_all_there_are(most: int) -> None:
    world, error = World(), rate_limit()
    answer, failed, _, asked = run(world, error, max_tries=most)
    assert answer is error
    assert (asked, len(failed), len(world.slept)) == (most, most, most - 1)


def test_an_error_that_is_none_of_the_provider_is_not_asked_again() -> None:
    error = KeyError("a defect of ours")
    answer, failed, _, asked = run(World(), error)
    assert (answer, failed, asked) == (error, [], 1)


@given(
    cap=st.floats(0, 100), most=st.integers(1, 30),
    asked=st.one_of(st.none(), st.floats(0, 1e9).map(str), st.sampled_from(["-5", "nan", "inf", "soon", "", "1e999"])),
)  # fmt: skip
def test_t23_no_wait_is_above_the_cap(cap: float, most: int, asked: str | None) -> None:
    world = World()
    headers = {} if asked is None else {"Retry-After": asked}
    _, _, work, _ = run(world, rate_limit(**headers), max_tries=most, wait_seconds_max=cap)
    assert all(0 <= wait <= cap for wait in world.slept)
    assert work.waiting_s == pytest.approx(sum(world.slept))
    assert work.waiting_s <= cap * (most - 1) * (1 + 1e-9)
    assert work.working_s == pytest.approx(0, abs=1e-6)


def test_the_provider_is_given_the_time_that_it_asks_for() -> None:
    world = World()
    assert run(world, rate_limit(**{"Retry-After": "37"}), "answer")[0] == "answer"
    assert world.slept == [37.0]
    capped = World()
    run(capped, rate_limit(**{"Retry-After": "19288"}), "answer", wait_seconds_max=30.0)
    assert capped.slept == [30.0]


def test_waits_grow_to_the_cap() -> None:
    longest = [0.0] * 9
    for _ in range(200):
        world = World()
        run(world, rate_limit(), max_tries=10)
        longest = [max(pair) for pair in zip(longest, world.slept, strict=True)]
    for number, wait in enumerate(longest):
        assert wait <= min(60, 2**number)
    assert longest[0] > 0.5
    assert longest[6] > 45


def test_t22_only_the_answered_request_is_work() -> None:
    world = World()
    _, failed, work, _ = run(world, rate_limit(**{"Retry-After": "50"}), DeadlineReached(), "answer", seconds=7.0)
    assert work.working_s == pytest.approx(7.0)
    assert work.waiting_s == pytest.approx(7 + 50 + 7 + world.slept[1])
    assert [one.seconds for one in failed] == [7.0, 7.0]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None), ({"retry-after": "7"}, 7.0), ({"retry-after": "0.5"}, 0.5), ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": email.utils.formatdate(1030, usegmt=True)}, 30.0),
        ({"retry-after": email.utils.formatdate(900, usegmt=True)}, 0.0),
        ({"retry-after": "-3"}, 0.0), ({"retry-after": "soon"}, None), ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None), (None, None),
    ],
)  # fmt: skip
def test_retry_after(headers: Any, seconds: float | None) -> None:
    assert retry_after_seconds(headers, now=1000.0) == seconds


def test_what_the_other_errors_mean() -> None:
    exceptions = litellm.exceptions

    def meaning(error: BaseException) -> tuple[str, str]:
        failure = failure_of(error)
        assert failure is not None
        return failure.verdict, failure.name

    assert meaning(exceptions.ContextWindowExceededError("long", "m", "openai")) == ("outcome", "context_overflow")
    assert meaning(exceptions.ContentPolicyViolationError("no", "m", "openai")) == ("outcome", "refusal")
    assert meaning(exceptions.AuthenticationError("who", "openai", "m")) == ("lost", "provider_denied")
    assert meaning(exceptions.NotFoundError("what", "m", "openai")) == ("lost", "provider_rejected")
    long = exceptions.BadRequestError("the context size is 9", "m", "openai")
    assert meaning(long) == ("outcome", "context_overflow")
    assert meaning(exceptions.BadRequestError("no", "m", "openai")) == ("lost", "provider_rejected")
    # A rate limit that talks about context (tokens per minute) is still a rate limit.
    limited = exceptions.RateLimitError("limit reached; your context length is long", "openai", "m")
    assert meaning(limited) == ("passing", "rate_limit")
    assert meaning(EmptyResponse("nothing")) == ("passing", "malformed_response")
    assert failure_of(ValueError("ours")) is None
