"""How far an execution repeats its recording: by return code, by exact output, by output without volatile parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.importers.record import Observation
from harness.reverify.masking import mask
from harness.sandbox.interface import Result

#: Commands that list files in the order in which a file system gives them.
_UNORDERED = re.compile(
    r"\bfind\b|\bls\b[^|;&\n]*\s-\w*R|\bgrep\b[^|;&\n]*\s(-\w*[rR]|--recursive)|\brg\b|\bag\b|\bglob"
)


@dataclass(frozen=True)
class Match:
    """How one action compares with its recording; None: the recording does not say."""

    returncode: bool | None = None
    exact: bool | None = None
    masked: bool | None = None

    @property
    def diverges(self) -> bool:
        """Whether code or output differ in what means something."""
        return self.returncode is False or self.masked is False


def compare(command: str, recorded: Observation | None, result: Result) -> Match:
    """The match of one executed action."""
    if recorded is None:
        return Match()
    shown = shown_text(result.output)
    if recorded.submission:
        shown = "".join(shown.lstrip().splitlines(keepends=True)[1:])
    if recorded.timed_out:  # what it had printed by then depends on the machine's speed
        return Match(returncode=result.timed_out)
    code = None if recorded.returncode is None else not result.limit and recorded.returncode == result.returncode
    if recorded.output is not None:
        exact = _end(recorded.output) == _end(shown)
        same = exact or _same(_end(recorded.output), _end(shown), command)
    elif recorded.elided:
        whole = len(recorded.head) + recorded.elided + len(recorded.tail) == len(shown)
        exact = whole and shown.startswith(recorded.head) and shown.endswith(recorded.tail)
        same = exact or _same_ends(recorded, shown, whole, command)
    else:
        return Match(code)
    return Match(code, exact, same)


def shown_text(output: bytes) -> str:
    """Output as recorders keep it: as text, with every line end a line feed."""
    return output.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def _end(text: str) -> str:
    """Without line feeds at the end, which templates add and take away."""
    return text.rstrip("\n")


def _same(recorded: str, shown: str, command: str) -> bool:
    one, other = mask(recorded), mask(shown)
    if one == other:
        return True
    return bool(_UNORDERED.search(command)) and Counter(one.split("\n")) == Counter(other.split("\n"))


def _same_ends(recorded: Observation, shown: str, whole: bool, command: str) -> bool:
    """Of an output whose middle was not kept: its ends, or, where lines have no order, its length."""
    if _UNORDERED.search(command):
        return whole
    head, tail = mask(recorded.head).split("\n")[:-1], mask(recorded.tail).split("\n")[1:]
    lines = mask(shown).rstrip("\n").split("\n")
    tail = tail[:-1] if tail and not tail[-1] else tail
    return lines[: len(head)] == head and lines[len(lines) - len(tail) :] == tail


@dataclass(frozen=True)
class Fidelity:
    """Over an attempt; fractions of the actions of which the recording says it, None where it never does."""

    returncode: float | None
    exact: float | None
    masked: float | None
    first_divergence: int | None
    """Call of the first action whose code or masked output differs."""

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return dict(vars(self))

    @property
    def decisive(self) -> float | None:
        """What the threshold looks at: return codes, or masked outputs where the format keeps no codes."""
        return self.masked if self.returncode is None else self.returncode


def fidelity_of(matches: Sequence[tuple[int, Match]]) -> Fidelity:
    """The fidelity of an attempt, from (call, match) of its actions in order."""

    def share(values: list[bool | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None

    return Fidelity(
        share([match.returncode for _, match in matches]), share([match.exact for _, match in matches]),
        share([match.masked for _, match in matches]),
        next((call for call, match in matches if match.diverges), None),
    )  # fmt: skip
