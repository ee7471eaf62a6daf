"""What a sandbox offers to the commands in it: an interpreter of this host with packages, or a container image."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.sandbox.interpreter import Interpreter


@dataclass(frozen=True)
class ImagePython:
    """The Python that an image brings for what lies in its workspace."""

    executable: str
    """Where it is inside."""
    full_version: str
    packages: str
    """Its package folder inside."""


@dataclass(frozen=True)
class Tools:
    """Either ``python`` and ``site``, or ``image``."""

    python: Interpreter | None = None
    """The interpreter shown inside."""
    site: Path | None = None
    """Folder of packages that it finds."""
    image: str | None = None
    """Name of the container image that brings its own programs."""
    image_digest: str | None = None
    """The image's digest; None: whatever has the name when a sandbox is made."""
    path: str | None = None
    """PATH inside the image; None: the usual folders."""
    inside: ImagePython | None = None
    """The image's Python, where it is known."""

    @property
    def version(self) -> str:
        """What a qualification on these tools is valid for: the Python's full version, or the image with its digest."""
        if self.image:
            return f"{self.image}@{self.image_digest}" if self.image_digest else self.image
        return self.python.full_version if self.python else ""
