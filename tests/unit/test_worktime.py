"""Working time against a clock of our own: waits count once, whatever overlaps."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.worktime import WorkTime


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def test_t22_waiting_does_not_eat_the_limit() -> None:
    clock = Clock()
    work = WorkTime(10.0, clock)
    clock.at += 4
    with work.waiting():
        clock.at += 3600
    clock.at += 5
    assert (work.working_s, work.waiting_s, work.left) == (9.0, 3600.0, 1.0)
    clock.at += 1
    assert work.left == 0.0


def test_t22_waits_at_once_count_once() -> None:
    clock = Clock()
    work = WorkTime(10.0, clock)
    with work.waiting():
        clock.at += 2
        with work.waiting():
            clock.at += 5
        assert (work.working_s, work.waiting_s) == (0.0, 7.0)
    work.waited(1001.0, 1004.0)
    assert (work.working_s, work.waiting_s) == (0.0, 7.0)


def test_t22_threads_that_wait_at_once_count_once() -> None:
    clock = Clock()
    work, inside, go = WorkTime(10.0, clock), threading.Barrier(9), threading.Event()

    def wait() -> None:
        with work.waiting():
            inside.wait(30)
            go.wait(30)

    threads = [threading.Thread(target=wait) for _ in range(8)]
    for thread in threads:
        thread.start()
    inside.wait(30)
    clock.at += 4.5
    go.set()
    for thread in threads:
        thread.join()
    assert (work.working_s, work.waiting_s) == (0.0, 4.5)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50))))
def test_waiting_is_the_measure_of_the_union(waits: list[tuple[int, int]]) -> None:
    clock = Clock()
    work = WorkTime(clock=clock)
    began = clock.at
    clock.at += 50
    for begin, end in waits:
        work.waited(began + begin, began + end)
    seconds = {second for begin, end in waits for second in range(begin, end)}
    assert work.waiting_s == len(seconds)
    assert work.working_s == 50 - len(seconds)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50))),
    st.lists(st.integers(0, 50), min_size=1),
    st.integers(0, 9),
)
def test_waits_that_go_on_count_with_those_that_have_ended(
    waits: list[tuple[int, int]], going: list[int], later: int
) -> None:
    clock = Clock()
    work = WorkTime(clock=clock)
    began = clock.at
    with ExitStack() as inside:
        for begin in sorted(going):
            clock.at = began + begin
            inside.enter_context(work.waiting())
        clock.at = began + 50
        for begin, end in waits:
            work.waited(began + begin, began + end)
        seconds = {second for begin, end in waits for second in range(begin, end)} | {*range(min(going), 50)}
        assert work.waiting_s == len(seconds)
        clock.at += later
        assert work.waiting_s == len(seconds) + later
    assert work.waiting_s == len(seconds) + later


def test_a_wait_from_before_the_beginning_counts_from_there() -> None:
    clock = Clock()
    work = WorkTime(clock=clock)
    clock.at += 5
    work.waited(0.0, 1001.0)
    assert (work.working_s, work.waiting_s) == (pytest.approx(4.0), 1.0)
