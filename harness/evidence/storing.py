"""Corrections of a stage: records in the ledger of its database, one per superseded value."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.evidence.corrections import CorrectionData, correction_body
from harness.evidence.gather import stored_records
from harness.store.clock import utc_now
from harness.store.store import Store


def correct_stage(database: str | Path, stage: str, data: CorrectionData, source: object) -> Sequence[str]:
    """Appends a correction to the ledger; what it corrected stays as it is. Names the superseded records.

    Raises:
        InputError: as ``corrections.correction_body``; the database holds nothing of the stage.
    """
    body = correction_body(data, stored_records(database, stage), utc_now(), source)
    with Store.open(database, create=False) as store:
        for one in body["supersedes"]:
            scope = {
                "stage": stage, "record": one["record"], **body["scope"], "by": body["by"],
                "rescoring": body["rescoring"], "evidence": body["evidence"], "reviewed": body["reviewed"],
            }  # fmt: skip
            field = one["field"] or "record"
            store.correct(scope, field, one["old"], one["new"], body["reason"])
    return [one["record"] for one in body["supersedes"]]
