"""JSON documents of decisions and representations at checkpoints: plain values, unrounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from analysis.alarms import Estimate
from analysis.checkpoints.decisions import CheckpointAudit
from analysis.checkpoints.representations import Representation


def audit_document(audit: CheckpointAudit) -> dict[str, Any]:
    """The decisions of an audit, and what its checkpoints offer."""
    head = {
        name: getattr(audit, name) for name in ("alpha", "family", "method", "design", "plan", "attainable_n")
    }  # fmt: skip
    counts = {name: audit.count(name) for name in ("restart", "continue", "abstain")}
    return {
        **head, "compare": {"restart": audit.restart, "continue": audit.continue_}, "counts": counts,
        "decisions": [asdict(one) for one in audit.decisions],
        "summary": [_plain(asdict(one)) for one in audit.summary],
    }  # fmt: skip


def value_document(rows: Sequence[Representation]) -> list[dict[str, Any]]:
    """A row per representation."""
    found = []
    for row in rows:
        estimates = {
            name: dict(zip(Estimate._fields, getattr(row, name), strict=True)) for name in ("value", "lost", "held_out")
        }
        place = {name: getattr(row, name) for name in ("stage", "runtime", "name", "classes", "checkpoints")}
        found.append(place | estimates)
    return found


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Names without the underscore that Python asks for."""
    return {name.rstrip("_"): value for name, value in row.items()}
