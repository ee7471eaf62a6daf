"""Judges whole attempts: what a verifier is told of each action, and what it adds to the outcome of the attempt."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from harness.sandbox.interface import Mounts
from harness.workspace.layer import Layer
from verifiers.cache import CachedVerifier
from verifiers.verdict import Verdict

#: Files and bytes that are looked at in a folder outside the workspace.
_FILES, _BYTES = 500, 1 << 20


@dataclass(frozen=True)
class Action:
    """One action of the agent, as the host saw it."""

    call: int
    command: str
    output: bytes
    folders: tuple[tuple[str, Path], ...] = ()
    """Further folders that the agent can write to (/tmp, home): where they appear inside, where they are here."""

    def elsewhere(self) -> Iterator[tuple[str, bytes]]:
        """Files in ``folders``: where each appears inside, and its first bytes. Links are not followed."""
        for inside, folder in self.folders:
            seen = 0
            for parent, _, names in os.walk(folder, followlinks=False):
                for name in names:
                    seen += 1
                    if seen > _FILES:
                        break
                    path = os.path.join(parent, name)
                    try:
                        end = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                    except OSError:
                        continue
                    with open(end, "rb", buffering=0) as stream:
                        if stat.S_ISREG(os.fstat(end).st_mode):
                            yield f"{inside}/{os.path.relpath(path, folder)}", stream.read(_BYTES)


def writable_elsewhere(mounts: Mounts) -> tuple[tuple[str, Path], ...]:
    """What ``Action.folders`` holds for a workspace."""
    return tuple((name, path) for name, path in (("/tmp", mounts.tmp), ("home", mounts.home)) if path is not None)


@dataclass(frozen=True)
class Ending:
    """How an attempt ended."""

    runtime: str
    repeat: int
    event: str
    origin: str
    cost_usd: float | None
    wall_s: float
    """Without waiting."""
    track: str | None = None
    lost: str | None = None
    """Why the try does not count; None when it does."""


class AttemptJudge(Protocol):
    """Follows one attempt from outside."""

    def begin(self, layer: Layer, content: Callable[[str], bytes], processes: Mapping[int, str]) -> None:
        """Takes in the state that the agent finds; ``processes``: live ones by their pid inside, with command line."""

    def judge(
        self, action: Action, layer: Layer, content: Callable[[str], bytes], processes: Mapping[int, str]
    ) -> Verdict:
        """Judges the state after an action."""

    def outcome(self, ending: Ending) -> dict[str, Any]:
        """What is added to the outcome of the try."""


class StateByState:
    """Judges each state by itself: for tasks whose verdict is about the workspace alone."""

    def __init__(self, verifier: CachedVerifier):
        self._verifier = verifier

    def begin(self, layer: Layer, content: Callable[[str], bytes], processes: Mapping[int, str]) -> None:
        """Nothing to remember."""

    def judge(
        self, action: Action, layer: Layer, content: Callable[[str], bytes], processes: Mapping[int, str]
    ) -> Verdict:
        """The verdict on ``layer``, whatever the action."""
        return self._verifier.verify(layer, content)

    def outcome(self, ending: Ending) -> dict[str, Any]:
        """Nothing beside the event."""
        return {}
