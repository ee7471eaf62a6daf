"""The append-only ledger: a hash chain over the facts, written in the same transaction as each fact.

``hash`` = SHA-256 of the canonical JSON of {seq, at, kind, payload, prev}; ``prev`` is the hash of the record before,
64 zeros at first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rfc8785 import CanonicalizationError
from sqlalchemy import Connection, insert, select

from harness.canonical import canonical_json, digest_json
from harness.store.clock import utc_now
from harness.store.tables import ledger

GENESIS = "0" * 64


@dataclass(frozen=True)
class LedgerRecord:
    """One link; ``payload`` is the stored text, canonical JSON."""

    seq: int
    at: str
    kind: str
    payload: str
    prev_hash: str
    hash: str


@dataclass(frozen=True)
class ChainFault:
    """The first record that breaks the chain, the field at fault, what it holds and what it should."""

    seq: int
    field: str
    found: str
    expected: str


@dataclass(frozen=True)
class ChainReport:
    """Result of ``verify``: how many records hold, the hash of the last of them, the first fault if any."""

    records: int
    head: str
    fault: ChainFault | None


def append(connection: Connection, kind: str, payload: Mapping[str, Any]) -> LedgerRecord:
    """Adds a record. ``connection`` must be in a ``writing`` transaction, whose lock orders the chain."""
    last = connection.execute(select(ledger.c.seq, ledger.c.hash).order_by(ledger.c.seq.desc()).limit(1)).first()
    seq, prev = (last.seq + 1, last.hash) if last else (1, GENESIS)
    at = utc_now()
    text = canonical_json(payload).decode()
    record = LedgerRecord(seq, at, kind, text, prev, _link(seq, at, kind, payload, prev))
    connection.execute(insert(ledger).values(vars(record)))
    return record


def records(connection: Connection) -> Iterator[LedgerRecord]:
    """All records in order, streamed."""
    for row in connection.execute(select(ledger).order_by(ledger.c.seq), execution_options={"yield_per": 1000}):
        yield LedgerRecord(**row._mapping)


def verify(connection: Connection) -> ChainReport:
    """Walks the whole chain and stops at the first record that does not hold.

    ``field`` is seq (a record is missing), prev_hash (the link is cut), payload (not canonical JSON), hash, or
    "at, kind or payload" when the next record proves that the hash is the original one. A chain that lost its last
    records holds: ``facts.reconcile`` finds what they covered.
    """
    held, head = 0, GENESIS
    suspect: ChainFault | None = None
    for record in records(connection):
        if suspect is not None:
            original = record.prev_hash == suspect.found
            fault = ChainFault(suspect.seq, "at, kind or payload", suspect.expected, suspect.found)
            return ChainReport(held, head, fault if original else suspect)
        fault_field = _fault(record, held + 1, head)
        if fault_field is not None and fault_field.field != "hash":
            return ChainReport(held, head, fault_field)
        suspect = fault_field
        if suspect is None:
            held, head = held + 1, record.hash
    return ChainReport(held, head, suspect)


def _fault(record: LedgerRecord, seq: int, prev: str) -> ChainFault | None:
    if record.seq != seq:
        return ChainFault(seq, "seq", str(record.seq), str(seq))
    if record.prev_hash != prev:
        return ChainFault(seq, "prev_hash", record.prev_hash, prev)
    try:
        payload = json.loads(record.payload, parse_int=_number)
        canonical = canonical_json(payload).decode()
    except (ValueError, RecursionError, CanonicalizationError) as error:
        return ChainFault(seq, "payload", record.payload[:80], f"canonical JSON ({error})")
    if canonical != record.payload:
        return ChainFault(seq, "payload", record.payload[:80], canonical[:80])
    expected = _link(record.seq, record.at, record.kind, payload, record.prev_hash)
    return None if record.hash == expected else ChainFault(seq, "hash", record.hash, expected)


def _number(text: str) -> int | float:
    """Canonical JSON writes a large whole float without a point; beyond 2**53 it can only have been a float."""
    value = int(text)
    return value if abs(value) < 2**53 else float(text)


def _link(seq: int, at: str, kind: str, payload: Any, prev: str) -> str:
    return digest_json({"seq": seq, "at": at, "kind": kind, "payload": payload, "prev": prev})
