"""Verdicts are kept by (verifier, verdict key): an unchanged workspace costs no verification."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.temporary import write_whole
from harness.workspace.layer import Layer
from verifiers.verdict import Verdict

if TYPE_CHECKING:
    from verifiers.interface import Verifier

#: States worth keeping; the others may come out differently next time.
_KEPT = ("pass", "fail", "broken_import")


class CachedVerifier:
    """A verifier that looks its verdicts up below ``folder`` first. Processes may share the folder."""

    def __init__(self, verifier: Verifier, folder: Path):
        self._verifier = verifier
        self._root, self._folder = folder, folder / verifier.digest[:32]
        self.digest = verifier.digest

    def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
        """Like ``Verifier.verify``; ``cached`` says whether tests ran."""
        path = self._folder / f"{layer.verdict_key}.json"
        try:
            known = Verdict(**json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError):  # absent, or torn by a crash: judge (again)
            known = None
        if known and known.state in _KEPT and known.key == layer.verdict_key:
            return replace(known, cached=True)
        verdict = self._verifier.verify(layer, content)
        if verdict.state in _KEPT:
            write_whole(path, json.dumps(verdict.data(), sort_keys=True).encode(), self._root)
        return verdict
