"""Verdicts are kept by (verifier, verdict key): an unchanged workspace costs no verification."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

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
        self._folder = folder / verifier.digest[:32]
        self.digest = verifier.digest

    def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
        """Like ``Verifier.verify``; ``cached`` says whether tests ran."""
        path = self._folder / f"{layer.verdict_key}.json"
        try:
            return replace(Verdict(**json.loads(path.read_bytes())), cached=True)
        except (OSError, ValueError, TypeError):  # absent, or torn by a crash: judge (again)
            pass
        verdict = self._verifier.verify(layer, content)
        if verdict.state in _KEPT:
            self._folder.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            fresh.write_text(json.dumps(verdict.data(), sort_keys=True))
            os.replace(fresh, path)
        return verdict
