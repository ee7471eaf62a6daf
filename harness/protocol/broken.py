"""A rule between the keys of a protocol that one does not keep."""

from __future__ import annotations

from typing import NamedTuple


class Broken(NamedTuple):
    """A rule that a protocol breaks."""

    key: str
    what: str
    mend: str
