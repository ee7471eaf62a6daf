"""What a sandbox offers to the commands in it: an interpreter of this host with packages, or a container image."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.sandbox.interpreter import Interpreter


@dataclass(frozen=True)
class Tools:
    """Either ``python`` and ``site``, or ``image``."""

    python: Interpreter | None = None
    """The interpreter shown inside."""
    site: Path | None = None
    """Folder of packages that it finds."""
    image: str | None = None
    """Container image that brings its own programs."""

    @property
    def version(self) -> str:
        """What a qualification on these tools is valid for: the Python's full version, or the image."""
        return self.image or (self.python.full_version if self.python else "")
