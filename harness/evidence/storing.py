"""Corrections of a stage: records in the ledger of its database, one per superseded value."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.evidence.corrections import CorrectionData, correction_body
from harness.evidence.gather import stage_drafts
from harness.store.clock import utc_now
from harness.store.database import open_engine
from harness.store.store import Store
from harness.store.transactions import reading


def correct_stage(database: str | Path, stage: str, data: CorrectionData, source: object) -> Sequence[str]:
    """Appends a correction to the ledger; what it corrected stays as it is. Names the superseded records.

    Raises:
        InputError: as ``corrections.correction_body``; the database holds nothing of the stage.
    """
    engine = open_engine(database, create=False)
    try:
        with reading(engine) as connection:
            drafts = stage_drafts(connection, stage)
    finally:
        engine.dispose()
    records = [{"kind": draft.kind, "id": draft.id, "body": draft.body} for draft in drafts]
    body = correction_body(data, records, utc_now(), source)
    with Store.open(database, create=False) as store:
        for one in body["supersedes"]:
            scope = {
                "stage": stage, "record": one["record"], **body["scope"], "by": body["by"],
                "rescoring": body["rescoring"], "evidence": body["evidence"], "reviewed": body["reviewed"],
            }  # fmt: skip
            field = one["field"] or "record"
            store.correct(scope, field, one["old"], one["new"], body["reason"])
    return [one["record"] for one in body["supersedes"]]
