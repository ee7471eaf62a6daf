"""Text for terminals: short, and with whatever an agent wrote made harmless."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

#: Control characters (escape sequences begin with one), and marks that reorder text.
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """``text`` with control and reordering characters shown as ``\\xNN`` or ``\\uNNNN``; line feeds and tabs stay."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return _HARMFUL.sub(
        lambda found: f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else f"\\u{ord(found[0]):04x}", text
    )


def one_line(text: str, most: int) -> str:
    """The beginning of ``text`` on one line, harmless."""
    line = " ".join(harmless(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def span(seconds: float) -> str:
    """A duration for people: 4.2s, 3m05s, 2h10m."""
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m{rest:02d}s"
    return f"{minutes // 60}h{minutes % 60:02d}m"


def money(dollars: float | None, unknown: int) -> str:
    """A cost for people; says how many tries have an unknown cost."""
    if dollars is None:
        return "cost unknown" if unknown else "no cost"
    return f"${dollars:.2f}" + (f" and {unknown} tries of unknown cost" if unknown else "")


def last_command(trajectory: Path, window: int = 65536) -> tuple[int, str]:
    """(call, command) of the last action in a trajectory that is being written; reads its tail only."""
    try:
        with open(trajectory, "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - window))
            lines = stream.read().split(b"\n")
    except OSError:
        return 0, ""
    for line in reversed(lines):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and found.get("type") == "action":
            return int(found["call"]), one_line(str(found["command"]), 100)
    return 0, ""
