"""What a check of a task package finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Stands wherever a person has to write something.
FILL_IN = "FILL IN"


@dataclass(frozen=True)
class Finding:
    """One complaint. ``open``: still to be filled in; ``problem``: wrong as it stands; ``unchecked``: could not be."""

    kind: Literal["open", "problem", "unchecked"]
    file: str
    """Below the package's folder."""
    key: str
    """Key, line or name in the file."""
    what: str
    mend: str = ""

    def __str__(self) -> str:
        text = f"{self.file}: {self.key}: {self.what}" if self.key else f"{self.file}: {self.what}"
        return f"{text}\n  mend: {self.mend}" if self.mend else text
