"""Scores of a monitor on recorded attempts: a reading after every call of the agent but the last.

After the last call there is nothing left to decide, and nobody was asked anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.monitors.catalogue import Spec, checked_score, make_monitor
from harness.monitors.interface import AskingMonitor, Monitor
from harness.monitors.prefix import Prefix
from harness.monitors.watch import prefixes


class Scored(NamedTuple):
    """What a monitor made of an attempt after one of its calls."""

    call: int
    """Number of the call, in the attempt's budget."""
    score: float | None
    asked: bool
    """Whether it had the model asked after this call, by a model call that the attempt's budget does not hold yet."""


def question_of(monitor: Monitor, prefix: Prefix) -> str | None:
    """What to ask the model after the prefix's last call: nothing where no call would be left after the question."""
    if not isinstance(monitor, AskingMonitor) or prefix.t + 1 >= prefix.horizon:
        return None
    return monitor.question(prefix)


def score_of(spec: Spec, monitor: Monitor, prefix: Prefix) -> float | None:
    """The monitor's score.

    Raises:
        InputError: it raised an error, or gave no finite number.
    """
    try:
        value = monitor.score(prefix)
    except Exception as error:
        raise InputError(f"{spec.text} failed after call {prefix.t}: {error!r}", file="--monitor",
                         mend="mend the package that offers it") from error  # fmt: skip
    return checked_score(spec, value)


def scored(spec: Spec, lines: Iterable[Mapping[str, Any]], attempt: str) -> Iterator[Scored]:
    """Readings of a recorded attempt in order of its calls.

    Args:
        attempt: what to call it in messages.

    Raises:
        InputError: the monitor would ask the model, and the record holds no answer; or as ``score_of``.
    """
    monitor = make_monitor(spec)
    for prefix, _ in pairwise(prefixes(lines)):
        asked = question_of(monitor, prefix) is not None
        if asked and prefix.calls[-1].statement is None:
            raise InputError(
                f"{spec.text} asks the model after call {prefix.t}, and the record of {attempt} holds no answer",
                file="--monitor", mend="choose a stage whose attempts were watched by this monitor, or a monitor that "
                "does not ask",
            )  # fmt: skip
        yield Scored(prefix.t, score_of(spec, monitor, prefix), asked and not prefix.calls[-1].charged)
