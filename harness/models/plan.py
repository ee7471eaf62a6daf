"""The scripted agent's plan: which kind of move every call makes. Pure, and blind to what the moves find."""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from random import Random
from typing import Literal, TypeVar

from harness.models.law import REPEATED_FORMAT_ERROR, SUBMITTED, CompletionLaw

Kind = Literal[
    "malformed", "complete", "submit", "destroy", "restore", "explore", "run", "scratch", "wrong", "revert", "repeat"
]
State = Literal["clean", "wrong", "broken", "right"]
"""What the agent's own moves left in the workspace: nothing, a wrong repair, damaged files, a valid repair."""

T = TypeVar("T")

#: Weights of the ordinary moves by state. Reading moves (explore) weigh little enough, doubled reads included, that
#: at least half of all actions change or run something.
ORDINARY: dict[State, dict[Kind, float]] = {
    "clean": {"explore": 35, "run": 25, "scratch": 15, "wrong": 25},
    "wrong": {"explore": 25, "run": 30, "scratch": 10, "revert": 20, "wrong": 15},
    "broken": {"explore": 20, "run": 20, "restore": 60},
    "right": {"explore": 35, "run": 50, "scratch": 15},  # reached only where an attempt goes on after its first pass
}
#: The first call looks around.
OPENING: dict[Kind, float] = {"explore": 3, "run": 1}


def call_rng(seed: int, call: int) -> Random:
    """The generator of one call; calls do not disturb each other's draws."""
    return Random(int.from_bytes(hashlib.sha256(f"{seed}:{call}".encode()).digest()[:8]))


def pick(rng: Random, items: Sequence[T]) -> T:
    """A uniform choice that uses ``random()`` alone: the only draw that Python promises to keep across releases."""
    return items[int(rng.random() * len(items))]


def pick_weighted(rng: Random, weights: dict[Kind, float]) -> Kind:
    """A choice by weight, from ``random()`` alone."""
    totals = list(accumulate(weights.values()))
    return list(weights)[bisect(totals, rng.random() * totals[-1])]


def after(state: State, kind: Kind) -> State:
    """The workspace state after a move of ``kind``; reading, running and submitting change nothing."""
    moved: dict[Kind, State] = {
        "complete": "right", "wrong": "wrong", "destroy": "broken", "revert": "clean", "restore": "clean"
    }
    return moved.get(kind, state)


def episode_seed(seed: int, number: int) -> int:
    """The seed of an attempt's episode: its own for the first, then 64 bits that no other attempt's episode has."""
    return seed if number == 1 else int.from_bytes(hashlib.sha256(f"{seed}:episode:{number}".encode()).digest()[:8])


def moves(
    seed: int, law: CompletionLaw, scale: float, first: int = 1, malformed: int = 0
) -> Iterator[tuple[Kind, Random]]:
    """The kinds of calls ``first``, ... without end, each with its call's generator for the details of the move.

    The four draws of the law are made at every call whether needed or not, so that one seed under two laws differs
    only where the laws do. They depend on the seed, the call and the run of malformed calls before it alone
    (``malformed``: before the first).
    """
    state: State = "clean"
    stuck = False
    run, call = malformed, first - 1
    while True:
        call += 1
        rng = call_rng(seed, call)
        unparsed, complete, submit, destroy = (rng.random() for _ in range(4))
        kind: Kind
        if unparsed < law.malformed_at(run):
            kind = "malformed"
        elif not stuck and complete < law.hazard_at(call, scale):
            kind = "complete"
        elif submit < law.submit:
            kind = "submit"
        elif not stuck and destroy < law.destroy:
            kind = "destroy"
        elif stuck or (law.stall is not None and rng.random() < law.stall):
            kind, stuck = "repeat", True
        else:
            kind = pick_weighted(rng, OPENING if call == 1 else ORDINARY[state])
        run = run + 1 if kind == "malformed" else 0
        state = after(state, kind)
        yield kind, rng


def plan(seed: int, law: CompletionLaw, scale: float, horizon: int) -> list[Kind]:
    """The kinds of calls 1 to ``horizon``, also of those after the end of the attempt."""
    return [kind for kind, _ in islice(moves(seed, law, scale), horizon)]


@dataclass(frozen=True)
class PlannedEvent:
    """The end of an attempt that a plan leads to, if the verifier accepts what it should and nothing else."""

    event: Literal["verified", "terminal", "censored"]
    call: int
    reason: str | None = None
    """Of a terminal event: ``Submitted`` or ``RepeatedFormatError``."""


def planned_event(kinds: Sequence[Kind], max_format_errors: int = 3) -> PlannedEvent:
    """The event of a plan under mini-swe-agent's format-error rule (0: no limit) and submission ending the attempt."""
    run = 0
    for call, kind in enumerate(kinds, 1):
        run = run + 1 if kind == "malformed" else 0
        if max_format_errors and run >= max_format_errors:
            return PlannedEvent("terminal", call, REPEATED_FORMAT_ERROR)
        if kind == "complete":
            return PlannedEvent("verified", call)
        if kind == "submit":
            return PlannedEvent("terminal", call, SUBMITTED)
    return PlannedEvent("censored", len(kinds))
