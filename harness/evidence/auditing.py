"""What ``evidence verify`` says of a bundle: bytes, signatures, and whether the records agree with one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.evidence.blobs import blob_faults
from harness.evidence.corrections import authoritative, correction_faults
from harness.evidence.keys import key_id
from harness.evidence.ledger_records import chain_faults, exact_faults, row_faults
from harness.evidence.reading import Fault, Reading
from harness.evidence.seals import STATEMENT
from harness.evidence.withheld import auditors_faults, withheld_in


def audited(
    reading: Reading, trusted: Sequence[bytes], auditors: Sequence[tuple[int, Mapping[str, Any]]] | None = None
) -> dict[str, Any]:
    """The audit of a bundle, as JSON.

    Args:
        trusted: raw public keys whose holders may sign; with none, the bundle's own key is all there is to go by.
        auditors: lines of an auditors' file, to check what is withheld against.
    """
    faults = list(reading.faults)
    if not faults:
        faults += _signers(reading, trusted)
        faults += _inside(reading, auditors)
    records = reading.records
    kinds = Counter(record["kind"] for record in records)
    marks = [(record["id"], path, mark) for record in records for path, mark in withheld_in(record["body"])]
    valid = authoritative(records) if not faults else None
    return {
        "intact": not faults,
        "records": dict(sorted(kinds.items())),
        "seals": [
            {"line": seal.line, "key_id": seal.key_id, "lines": seal.lines, "head": seal.head} for seal in reading.seals
        ],
        "trusted": all(seal.key_id in {key_id(key) for key in trusted} for seal in reading.seals) if trusted else None,
        "faults": [{"line": one.line, "record": one.record, "field": one.field, "what": one.what} for one in faults],
        "withheld": _withheld(marks),
        "corrections": [
            {"record": record["id"], "reason": record["body"]["reason"], "rescoring": record["body"]["rescoring"],
             "supersedes": len(record["body"]["supersedes"])}
            for record in records if valid and record["kind"] == "correction"
        ],
        "rerun_required": sorted(valid.void) if valid else [],
        "differences": [f"{record['body'].get('runtime')}: {text}" for record in records
                        if record["kind"] == "conditions" for text in record["body"].get("differences", ())],
        "statement": STATEMENT,
    }  # fmt: skip


def _signers(reading: Reading, trusted: Sequence[bytes]) -> Iterator[Fault]:
    known = {key_id(key) for key in trusted}
    for seal in reading.seals:
        if trusted and seal.key_id not in known:
            yield Fault(seal.line, f"seal/{seal.line - 1}", "public_key", f"key {seal.key_id} is none of those trusted")


def _inside(reading: Reading, auditors: Sequence[tuple[int, Mapping[str, Any]]] | None) -> Iterator[Fault]:
    lines = {record["id"]: record["seq"] + 1 for record in reading.records}
    counts = Counter(record["id"] for record in reading.records)
    for name, count in counts.items():
        if count > 1:
            yield Fault(lines[name], name, "id", f"stands {count} times")
    checks = {"blob": blob_faults, "correction": correction_faults, "ledger": chain_faults, "row": row_faults,
              "exact": exact_faults}  # fmt: skip
    found = [(name, check(reading.records)) for name, check in checks.items()]
    if auditors is not None:
        found.append(("auditors' file", auditors_faults(reading.records, auditors)))
    for name, faults in found:
        try:
            for record, field, what in faults:
                yield Fault(lines.get(record, 0), record, field, what)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            # Whoever holds a key can sign records that have not the fields of their kind.
            yield Fault(0, name, "body", f"a record has not the fields of its kind ({type(error).__name__}: {error})")


def _withheld(marks: Sequence[tuple[str, str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Withheld fields by reason; of each reason how many, and one of them."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for record, path, mark in marks:
        key = str(mark["reason"]), str(mark["auditor_access"])
        row = found.setdefault(key, {"reason": key[0], "auditor_access": key[1], "fields": 0,
                                     "first": f"{record} {path}"})  # fmt: skip
        row["fields"] += 1
    return list(found.values())
