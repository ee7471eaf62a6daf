"""The JSON document of an audit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from analysis.audit import Audit, Comparison
from analysis.opportunity import Opportunity


def audit_json(audit: Audit, summary: Sequence[Opportunity]) -> Iterator[str]:
    """The document piece by piece, so that a table of any size fits in memory.

    Values are plain and unrounded: ``family`` is the number M of comparisons; q and p are null where their sample is
    empty. A summary row belongs to one runtime, stage and arm; ``arm``, ``origin`` and ``digest`` are written there
    only where they vary, that is, where rows would otherwise look alike.
    """
    head = {"family": audit.family, "alpha": audit.alpha, "method": audit.method, "plan": audit.plan}
    yield _text(head)[:-1] + ', "comparisons": ['
    for i, row in enumerate(audit.comparisons()):
        yield (", " if i else "") + _text(_comparison(row))
    yield '], "summary": ' + _text(_summary(summary)) + "}"


def audit_document(audit: Audit, summary: Sequence[Opportunity]) -> dict[str, Any]:
    """The document as plain values."""
    found: dict[str, Any] = json.loads("".join(audit_json(audit, summary)))
    return found


def _text(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _comparison(row: Comparison) -> dict[str, Any]:
    return {
        "stage": row.key.stage,
        "arm": row.key.arm,
        "origin": row.key.origin,
        "task": row.key.task,
        "runtime": row.key.runtime,
        "t": row.t,
        "n": row.n,
        "live": row.live,
        "x": row.x,
        "y": row.y,
        "q": row.q,
        "p": row.p,
        "continue_interval": row.continue_interval,
        "restart_interval": row.restart_interval,
        "decision": row.decision,
        "attainable_n": row.attainable_n,
    }


def _summary(summary: Sequence[Opportunity]) -> list[dict[str, Any]]:
    cohorts = {row.cohort for row in summary}
    varying = [name for name in ("arm", "origin", "digest") if len({getattr(c, name) for c in cohorts}) > 1]
    return [
        {
            "runtime": row.cohort.runtime,
            "stage": row.cohort.stage,
            **{name: getattr(row.cohort, name) for name in varying},
            "t": row.t,
            "live_cells": row.live_cells,
            "restart_minus_continue": row.restart_minus_continue,
            "task_oracle": row.task_oracle,
            "perfect_alarm": row.perfect_alarm,
        }
        for row in summary
    ]
