"""What a probe is: an attempt to get out of a sandbox or to use more than it allows, and how the host judges it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from harness.sandbox.interface import Limits, Result

if TYPE_CHECKING:
    from harness.sandbox.selfcheck.scene import Scene

#: ``undecided``: the probe itself did not work, so that nothing is known; counts like having got through.
State = Literal["refused", "got through", "not applicable", "undecided"]

#: Limits of probes that are not about limits.
ROOMY = Limits(seconds=20.0)
_DETAIL_MAX = 160


@dataclass(frozen=True)
class Finding:
    """What became of one probe, and what was seen."""

    state: State
    detail: str = ""


Judge = Callable[["Scene", Result], Finding]


def by_words(scene: Scene, result: Result) -> Finding:
    """Judges by the lines that the script's own ``tried`` printed; a script that broke off decides nothing."""
    lines = result.output.decode(errors="replace").splitlines()
    said: dict[str, list[str]] = {"through": [], "refused": [], "end": []}
    for line in lines:
        nonce, _, rest = line.partition(" ")
        word, _, text = rest.partition(" ")
        if nonce == scene.nonce and word in said:
            said[word].append(_short(text))
    if said["through"]:
        return Finding("got through", _short("; ".join(said["through"])))
    if said["refused"] and said["end"]:
        return Finding("refused", _short(", ".join(dict.fromkeys(t.rpartition(": ")[2] for t in said["refused"]))))
    why = f"limit {result.limit}" if result.limit else f"exit {result.returncode}"
    return Finding("undecided", _short(f"the probe broke off ({why}): {' '.join(lines[-3:])}"))


def _short(text: str) -> str:
    """One printable line: what is shown was written in a sandbox."""
    line = " ".join(re.sub(r"[^\x20-\x7e]", " ", text).split())
    return line if len(line) <= _DETAIL_MAX else line[: _DETAIL_MAX - 3] + "..."


@dataclass(frozen=True)
class Probe:
    """One attempt of an adversary.

    ``script`` is Python for the inside; it calls ``tried(name, function)``, which reports that the function returned
    something (through), nothing, or raised ``OSError`` (refused). ``V`` holds the scene's values.
    """

    id: str
    """``theme.what``."""
    tries: str
    """What the adversary tries, for people."""
    script: str = ""
    judge: Judge = by_words
    """Decides from the host's side; what is printed inside is evidence that it weighs."""
    limits: Limits = ROOMY
    seconds: float | None = None
    """Time limit of the command, if not that of ``limits``."""
    prepare: Callable[[Scene], str | None] | None = None
    """Makes ready on the host before the command; returns why the probe does not apply here, if so."""
    own_sandbox: bool = False
    """Needs a workspace of its own."""
    check: Callable[[Scene], Finding] | None = None
    """Instead of script and judge: a probe that drives sandboxes itself."""

    @property
    def theme(self) -> str:
        return self.id.partition(".")[0]
