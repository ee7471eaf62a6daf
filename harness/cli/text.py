"""Text for terminals: short, and with whatever an agent wrote made harmless."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

#: Control characters (escape sequences begin with one), marks that reorder text, and other line breaks than \n.
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


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
    if round(seconds, 1) < 60:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m{rest:02d}s"
    return f"{minutes // 60}h{minutes % 60:02d}m"


def byte_size(count: int) -> str:
    """An amount of bytes for people: 512 B, 4.0 KiB, 1.2 GiB."""
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"


def money(dollars: float | None, unknown: int) -> str:
    """A cost for people; says how many tries have an unknown cost."""
    if dollars is None:
        return "cost unknown" if unknown else "no cost"
    tries = "1 try" if unknown == 1 else f"{unknown} tries"
    return f"${dollars:.2f}" + (f" and {tries} of unknown cost" if unknown else "")


def last_command(trajectory: Path, window: int = 65536) -> tuple[int, str]:
    """(call, command) of the last action in a trajectory that is being written; (0, "") before there is one.

    Reads the tail only: ``window`` bytes, and more where one line is longer (an output can be).
    """
    try:
        with open(trajectory, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            while True:
                stream.seek(max(0, size - window))
                found = _last_action(stream.read())
                if found or window >= size:
                    return found or (0, "")
                window *= 8
    except OSError:
        return 0, ""


def _last_action(tail: bytes) -> tuple[int, str] | None:
    for line in reversed(tail.split(b"\n")):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and found.get("type") == "action":
            return int(found["call"]), one_line(str(found["command"]), 100)
    return None
