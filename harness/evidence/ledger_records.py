"""The ledger in a bundle: its whole chain, of which what is about other stages is withheld; and its checks."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table

from harness.canonical import canonical_json, digest_bytes, digest_json
from harness.evidence.plain import original, plain
from harness.evidence.rows import KINDS
from harness.evidence.writing import Draft
from harness.store import ledger
from harness.store.facts import COVERED
from harness.store.tables import JsonText, json_text, tries

OTHER_STAGE = "about another stage of the same database"


def ledger_drafts(connection: Connection, stage: str, drafts: Collection[Draft]) -> Iterator[Draft]:
    """A record per link of the chain; ``drafts`` are the rows in the bundle."""
    mine = {draft.body["id"] for draft in drafts if draft.kind == "attempt"}
    tasks = {draft.body["task"] for draft in drafts if draft.kind == "attempt"}
    regraded = {draft.body["id"] for draft in drafts if draft.kind == "regrades"}
    imported = any(str(draft.body.get("controller", "")).startswith("import:") for draft in drafts)
    for link in ledger.records(connection):
        payload = json.loads(link.payload, parse_int=_number)
        facts = [*_rows(payload), payload, payload.get("key"), payload.get("scope")]
        known = (row for row in facts if isinstance(row, dict))
        concerns = any(_concerns(row, stage, mine, tasks, regraded) for row in known)
        concerns = concerns or (link.kind == "events_imported" and imported)
        body = {"seq": link.seq, "at": link.at, "kind": link.kind, "prev_hash": link.prev_hash, "hash": link.hash}
        if concerns:
            body["payload"] = payload
        else:
            body["payload"] = {"withheld": True, "reason": OTHER_STAGE, "digest": digest_json(payload),
                               "auditor_access": "in the database"}  # fmt: skip
        yield Draft("ledger", f"ledger/{link.seq}", body)


def _rows(payload: Mapping[str, Any]) -> Sequence[Any]:
    rows = payload.get("rows", ())
    return rows if isinstance(rows, list) else ()


def _concerns(
    row: Mapping[str, Any], stage: str, mine: Collection[str], tasks: Collection[str], regraded: Collection[int]
) -> bool:
    """Whether what the ledger recorded is about the stage: by its name, its attempts, or (qualifications, reviews) by
    its tasks."""
    if "stage" in row:
        return bool(row["stage"] == stage)
    if "attempt_id" in row:
        return row["attempt_id"] in mine
    if "regrade_id" in row:
        return row["regrade_id"] in regraded
    return "task" in row and row["task"] in tasks


def chain_faults(records: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """(record, field, what) of every link that does not hold."""
    prev, seq = ledger.GENESIS, 1
    for record in records:
        if record["kind"] != "ledger":
            continue
        body = original(record["body"])
        if body["seq"] != seq:
            yield record["id"], "seq", f"is {body['seq']}, not {seq}: a link is missing"
        if body["prev_hash"] != prev:
            yield record["id"], "prev_hash", "is not the hash of the link before"
        if not _withheld(body["payload"]):
            link = {name: body[name] for name in ("seq", "at", "kind", "payload")} | {"prev": body["prev_hash"]}
            if digest_json(link) != body["hash"]:
                yield record["id"], "hash", "is not that of the link's content"
        prev, seq = body["hash"], body["seq"] + 1


def row_faults(records: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """(record, field, what) of rows that are not as the ledger in the bundle last recorded them."""
    tables = {table.name: table for table in COVERED.values()}
    last: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for record in records:
        if record["kind"] == "ledger" and record["body"]["kind"] in COVERED:
            table = COVERED[record["body"]["kind"]]
            for row in _rows(original(record["body"]["payload"])):
                last[_key(table, row)] = row
    imported = {record["body"]["attempt_id"] for record in records if record["kind"] == "try"
                and str(record["body"]["controller"]).startswith("import:")}  # fmt: skip
    kinds = {KINDS.get(name, name): table for name, table in tables.items()}
    for record in records:
        table_of = kinds.get(record["kind"])
        body = original(record["body"])
        if table_of is None or body.get("attempt_id", body.get("id")) in imported:
            continue  # of these the ledger recorded the batch
        recorded = last.get(_key(table_of, body))
        if recorded is None:
            yield record["id"], "record", "the ledger knows nothing of it"
            continue
        for name, value in _facts(table_of, body).items():
            known = name in recorded and not _withheld(value) and not _withheld(recorded[name])
            if known and recorded[name] != value:
                yield record["id"], name, "is not what the ledger recorded"


def _facts(table: Table, body: Mapping[str, Any]) -> dict[str, Any]:
    """As ``facts.row_facts``, from a record."""
    found: dict[str, Any] = {}
    exact = body.get("exact", {})

    def digest(name: str) -> Any:
        value = body[name]
        if value is None or _withheld(value) or _withheld(exact):
            return value if value is None else {"withheld": True}
        return digest_bytes(exact.get(name, json_text(value)).encode())

    for column in table.columns:
        found[column.name] = digest(column.name) if isinstance(column.type, JsonText) else body[column.name]
    if table is tries:
        found |= {"actions": digest("actions"), "audits": digest("audits")}
    return found


def exact_faults(records: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """(record, field, what) of exact texts that do not say the value beside them."""
    for record in records:
        exact = record["body"].get("exact", {})
        for name, text in {} if _withheld(exact) else original(exact).items():
            if canonical_json(plain(json.loads(text))) != canonical_json(record["body"][name]):
                yield record["id"], f"exact.{name}", "does not say what the field says"


def _key(table: Table, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return table.name, *(row[column.name] for column in table.primary_key.columns)


def _withheld(value: Any) -> bool:
    """Whether a value, or a part of it, is withheld."""
    if isinstance(value, dict):
        return value.get("withheld") is True or any(map(_withheld, value.values()))
    return isinstance(value, list) and any(map(_withheld, value))


def _number(text: str) -> int | float:
    """As the ledger reads it: a whole number beyond 2**53 can only have been a float."""
    value = int(text)
    return value if abs(value) < 2**53 else float(text)
