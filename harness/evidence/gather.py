"""Everything that a bundle holds: of a stage in the database, or of a file of trial records."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from harness.canonical import digest_file
from harness.evidence.conditions import conditions
from harness.evidence.ledger_records import ledger_drafts
from harness.evidence.provenance import provenance
from harness.evidence.rows import stage_rows
from harness.evidence.writing import Draft
from harness.scoring.from_store import trial_record
from harness.scoring.jsonlines import json_lines
from harness.store.database import open_engine
from harness.store.transactions import reading
from harness.yamlfile import load_yaml

#: Ledger records of corrections become records of their own.
_SCOPE = ("tasks", "entries", "dimensions")


def stage_drafts(connection: Connection, stage: str) -> list[Draft]:
    """The records of a stage, but for contents: rows, trials, conditions, provenance, ledger, corrections.

    Raises:
        InputError: the database holds nothing of it.
    """
    rows = list(stage_rows(connection, stage))
    trials = list(_trials(rows))
    ledger = list(ledger_drafts(connection, stage, rows))
    return [*rows, *trials, *conditions(rows), *provenance(rows, ledger), *ledger, *_corrections(ledger)]


def stored_records(database: str | Path, stage: str) -> list[dict[str, Any]]:
    """``stage_drafts`` of a database, as records that were read: kind, id, body.

    Raises:
        InputError: the database holds nothing of it.
    """
    engine = open_engine(database, create=False)
    try:
        with reading(engine) as connection:
            drafts = stage_drafts(connection, stage)
    finally:
        engine.dispose()
    return [{"kind": draft.kind, "id": draft.id, "body": draft.body} for draft in drafts]


def _trials(rows: Collection[Draft]) -> Iterator[Draft]:
    """Of a stage of recovery tasks: a trial record per ended try."""
    attempts = {draft.body["id"]: draft.body for draft in rows if draft.kind == "attempt"}
    families = {draft.body["task"]: (draft.body["record"] or {}).get("family") for draft in rows
                if draft.kind == "qualification"}  # fmt: skip
    tries = [draft for draft in rows if draft.kind == "try" and draft.body["state"] == "finished"]
    judged = [record for draft in tries if (record := (draft.body["outcome"] or {}).get("recovery"))]
    families |= {record["task"]: record["family"] for record in judged if record.get("family")}
    if judged:
        for draft in tries:
            attempt = attempts[draft.body["attempt_id"]]
            record = trial_record(attempt, draft.body, families.get(attempt["task"]))
            if record is not None:
                yield Draft("trial", f"trial/{attempt['id']}/{draft.body['number']}", record)


def _corrections(ledger: Collection[Draft]) -> Iterator[Draft]:
    for draft in ledger:
        payload = draft.body["payload"]
        if draft.body["kind"] != "correction" or "record" not in payload.get("scope", {}):
            continue
        scope = payload["scope"]
        field = None if scope["rescoring"] == "rerun_required" else payload["field"]
        change = {"record": scope["record"], "field": field, "old": payload["old"], "new": payload["new"]}
        yield Draft("correction", f"correction/{draft.id}", {
            "scope": {name: scope[name] for name in _SCOPE}, "reason": payload["why"], "by": scope["by"],
            "at": draft.body["at"], "rescoring": scope["rescoring"], "evidence": scope["evidence"],
            "reviewed": scope["reviewed"], "supersedes": [change],
        })  # fmt: skip


def trial_drafts(path: Path, panel: Path | None) -> list[Draft]:
    """The records of a file of trial records, the edition that they belong to, and where both came from.

    Raises:
        InputError (of harness or of analysis): a record or the edition is not as it should be.
    """
    from harness.scoring.panel import read_panel
    from harness.scoring.trials import attempt_of

    drafts, seen = [], Counter[str]()
    for row, record in json_lines(path):
        attempt, _ = attempt_of(record, file=path, row=row)
        name = f"trial/{attempt.runtime}/{attempt.task}/{attempt.trial}"
        seen[name] += 1
        drafts.append(Draft("trial", f"{name}/{seen[name]}", record))
    sources = [{"name": path.name, "sha256": digest_file(path), "records": len(drafts)}]
    if panel is not None:
        read_panel(panel)
        drafts.append(Draft("panel", "panel", {"data": load_yaml(panel)}))
        sources.append({"name": panel.name, "sha256": digest_file(panel), "records": 1})
    return [*drafts, Draft("provenance", "provenance/files", {"sources": sources})]


def credential_finder(drafts: Collection[Draft], environment: Mapping[str, str]) -> Callable[[str], str | None]:
    """A function that names the credential whose value a text holds: those that stages name, and all that look so."""
    from harness.exporting.redaction import Redaction

    named = []
    for draft in drafts:
        if draft.kind == "stage":
            runtimes = ((draft.body["protocol"] or {}).get("protocol") or {}).get("runtimes") or {}
            named += [(runtime.get("model") or {}).get("credential") for runtime in runtimes.values()]
    redact = Redaction([name for name in named if name], environment)

    def find(text: str) -> str | None:
        done: Any = redact(text)
        found = re.search(r"\[redacted: ([^\]]*)\]", done) if done != text else None
        return found[1] if found else None

    return find


def software() -> dict[str, str]:
    """What wrote the bundle."""
    import platform

    from harness import __version__

    return {"restartlab": __version__, "python": platform.python_version(), "system": os.uname().sysname}
