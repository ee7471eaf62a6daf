"""Globs of workspace paths: ``*`` within a name, ``**`` for any depth; ``X/**`` is X too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=512)
def _pattern(glob: str) -> re.Pattern[str]:
    if glob.endswith("/**"):
        return re.compile(_pattern(glob[:-3]).pattern[:-2] + r"(/.*)?\Z", re.DOTALL)
    text = "".join(
        ".*" if part == "**" else "[^/]*" if part == "*" else "[^/]" if part == "?" else re.escape(part)
        for part in re.split(r"(\*\*|\*|\?)", glob)
    )
    return re.compile(text + r"\Z", re.DOTALL)


def matches(path: str, globs: Iterable[str]) -> bool:
    """Whether ``path`` matches one of ``globs``."""
    return any(_pattern(glob).match(path) for glob in globs)
