"""The rows of ``restartlab protocols``."""

from __future__ import annotations

from dataclasses import dataclass

from harness.errors import InputError
from harness.protocol.digest import load_stage
from harness.protocol.drift import Change, drift
from harness.protocol.frozen import read_frozen
from harness.protocol.load import stage_files


@dataclass(frozen=True)
class ProtocolRow:
    """One stage: a file, an entry of FROZEN.yaml, or both."""

    stage: str
    title: str | None
    """None when the file is missing or invalid."""
    frozen: bool
    date: str | None
    """Day of freezing."""
    digest: str | None
    """Digest of the stage as it is now; None when it cannot be read."""
    frozen_digest: str | None
    drift: tuple[Change, ...]
    """Keys that are not as frozen; empty when it is not frozen."""
    problem: str | None
    """Why the stage cannot be collected, whatever its digest."""

    @property
    def collectable(self) -> bool:
        """Frozen and unchanged."""
        return self.frozen and self.problem is None and self.digest == self.frozen_digest


def list_protocols() -> list[ProtocolRow]:
    """Every stage by name, broken ones included with their problem; raises ``InputError`` for a damaged FROZEN.yaml."""
    entries, files = read_frozen(), stage_files()
    rows = []
    for stage in sorted(entries.keys() | files.keys()):
        entry = entries.get(stage)
        title = digest = problem = None
        changes: tuple[Change, ...] = ()
        try:
            current = load_stage(stage)
        except InputError as error:
            problem = str(error) if stage in files else "its file is missing"
        else:
            title, digest = current.protocol.title, current.digest
            if entry and entry.digest != digest:
                changes = tuple(drift(entry.parts, current.parts))
        date, frozen_digest = (entry.date, entry.digest) if entry else (None, None)
        rows.append(ProtocolRow(stage, title, entry is not None, date, digest, frozen_digest, changes, problem))
    return rows
