"""Every byte of a bundle is covered: whatever is changed is found, and located by record and field."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.evidence.reading import check_bytes
from harness.evidence.writing import Draft, extended, header, sealed

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
DRAFTS = [
    Draft("stage", "stage/tiny", {"digest": "ab" * 32, "protocol": {"tasks": ["t-1", "Zoë"], "horizon": 8}}),
    Draft("try", "try/1", {"event": "verified", "cost_usd": 0.25, "reason": None, "actions": [{"call": 1}, {}]}),
    Draft("try", "try/2", {"event": "censored", "cost_usd": None, "reason": "horizon", "actions": []}),
    Draft("blob", "blob/1", {"sha256": "cd" * 32, "bytes": 3, "data": "QUJD"}),
    Draft("empty", "empty/1", {}),
]
MORE = [Draft("correction", "correction/1", {"reason": "billed twice", "supersedes": [{"record": "try/1"}]})]


def first_bundle() -> bytes:
    return sealed([header(KEY, {"about": "a test"}), *DRAFTS], KEY)


def longer_bundle() -> bytes:
    data = first_bundle()
    return extended(data, check_bytes(data).records, MORE, KEY)


BUNDLE = longer_bundle()
LINES = BUNDLE.split(b"\n")[:-1]


def spans(line: bytes) -> Iterator[tuple[int, int, str]]:
    """(begin, end, field) of a line, by parsing it piece by piece: an implementation of its own."""
    text, decoder = line.decode(), json.JSONDecoder()
    assert text.startswith('{"body":{')
    place, field_begin = len('{"body":{'), 0
    while text[place] != "}":
        begin = place
        name, place = decoder.raw_decode(text, place)
        _, place = decoder.raw_decode(text, place + 1)
        yield begin if field_begin else 0, place, name
        field_begin = place
        if text[place] == ",":
            place += 1
    place += 1
    while text[place] == ",":
        name, after = decoder.raw_decode(text, place + 1)
        _, after = decoder.raw_decode(text, after + 1)
        yield place, after, name
        place = after


def true_place(position: int) -> tuple[int, str, set[str]]:
    """Line number, record and the fields that a change at a byte may be told to be in (a comma belongs to either)."""
    number = BUNDLE.count(b"\n", 0, position)
    inside = position - (BUNDLE.rfind(b"\n", 0, position) + 1)
    line = LINES[number]
    record = json.loads(line)["id"]
    if inside == len(line):
        return number + 1, record, {"end of line"}
    text = line.decode()
    character = len(line[:inside].decode(errors="ignore"))
    near = {name for begin, end, name in spans(line) if begin - 1 <= character <= end}
    near |= {"body"} if character < len('{"body":{') or text[character] == "}" else set()
    return number + 1, record, near | ({"end of line"} if inside >= len(line) - 1 else set())


def test_a_bundle_holds() -> None:
    found = check_bytes(BUNDLE)
    assert found.faults == () and [seal.lines for seal in found.seals] == [6, 2]
    assert [record["kind"] for record in found.records][-2:] == ["correction", "seal"]


def check_change(position: int, value: int) -> None:
    changed = BUNDLE[:position] + bytes([value]) + BUNDLE[position + 1 :]
    found = check_bytes(changed)
    assert not found.intact, f"byte {position} can be changed to {value}"
    line, record, fields = true_place(position)
    told = [(fault.line, fault.record, fault.field) for fault in found.faults]
    # A line feed that comes or goes moves what follows; the first fault is where it happened.
    place = told[0] if 10 in (value, BUNDLE[position]) else next((one for one in told if one[0] == line), told[0])
    assert place[0] == line and place[1] == record, (position, value, told)
    assert place[2] in fields or place[2].split(".")[0] in fields, (position, value, told, fields)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(BUNDLE) - 1), st.integers(1, 255))
@example(0, 1)
@example(len(BUNDLE) - 1, 1)
def test_any_changed_byte_is_found_and_located(position: int, change: int) -> None:
    check_change(position, BUNDLE[position] ^ change)


def test_every_byte_is_covered() -> None:
    """Each position once, with a change of its own."""
    rng = random.Random(1)
    for position in range(len(BUNDLE)):
        check_change(position, BUNDLE[position] ^ rng.randint(1, 255))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(BUNDLE) - 1))
def test_a_cut_is_found(end: int) -> None:
    found = check_bytes(BUNDLE[:end])
    if BUNDLE[:end] == first_bundle():
        assert found.intact  # an older bundle is a bundle: only the digest of the last seal tells them apart
    else:
        assert not found.intact


@settings(max_examples=100, deadline=None)
@given(st.binary(min_size=1, max_size=40))
def test_what_is_appended_is_found(more: bytes) -> None:
    found = check_bytes(BUNDLE + more)
    assert not found.intact and found.faults[0].line > len(LINES)


@pytest.mark.parametrize("place", range(len(LINES)))
def test_a_line_that_is_missing_doubled_or_moved_is_found_and_named(place: int) -> None:
    names = [json.loads(line)["id"] for line in LINES]
    missing = check_bytes(b"".join(line + b"\n" for k, line in enumerate(LINES) if k != place))
    doubled = check_bytes(b"".join((line + b"\n") * (2 if k == place else 1) for k, line in enumerate(LINES)))
    other = (place + 1) % len(LINES)
    order = list(range(len(LINES)))
    order[place], order[other] = other, place
    moved = check_bytes(b"".join(LINES[k] + b"\n" for k in order))
    for found in (missing, doubled, moved):
        assert not found.intact
    if place < len(LINES) - 1:
        assert any(names[place] in (fault.record, *fault.what.split()) for fault in missing.faults), missing.faults
    assert any(abs(fault.line - 1 - place) <= 1 for fault in doubled.faults), doubled.faults
    assert any(fault.line - 1 in (place, other, place + 1) for fault in moved.faults), moved.faults


@pytest.mark.parametrize("newline", [b"\r\n", b"\r", b"\n\n", b"\n "])
def test_other_line_ends_are_found(newline: bytes) -> None:
    found = check_bytes(BUNDLE.replace(b"\n", newline))
    assert not found.intact
    assert not check_bytes(BUNDLE.rstrip(b"\n")).intact
    assert check_bytes(BUNDLE.rstrip(b"\n")).faults[-1].field == "end of line"


def test_an_empty_file_is_no_bundle() -> None:
    assert not check_bytes(b"").intact
    assert not check_bytes(b"\n").intact
    assert not check_bytes(b"{}\n").intact


def test_the_same_value_written_otherwise_is_found() -> None:
    spaced = BUNDLE.replace(b'"cost_usd":0.25', b'"cost_usd":0.250')
    found = check_bytes(spaced)
    assert [(fault.record, fault.field) for fault in found.faults] == [("try/1", "cost_usd")]


def test_a_bundle_signed_anew_by_another_key_names_that_key() -> None:
    other = Ed25519PrivateKey.generate()
    forged = sealed([header(other, {"about": "a test"}), *DRAFTS], other)
    assert check_bytes(forged).intact
    assert check_bytes(forged).seals[0].key_id != check_bytes(BUNDLE).seals[0].key_id


def test_signed_nonsense_is_a_fault_and_no_crash() -> None:
    from harness.evidence.auditing import audited

    for kind in ("blob", "correction", "ledger", "try", "attempt", "stage", "conditions", "trial"):
        for body in ({}, {"exact": 3}, {"supersedes": 7, "payload": [], "kind": "try_started"}):
            found = audited(check_bytes(sealed([header(KEY, {}), Draft(kind, f"{kind}/1", body)], KEY)), [])
            assert found["intact"] or found["faults"], kind
    for body in ({"data": 1, "sha256": "x", "bytes": None}, {"data": "QQ==", "sha256": "x", "bytes": 1}):
        found = audited(check_bytes(sealed([header(KEY, {}), Draft("blob", "blob/1", body)], KEY)), [])
        assert [fault["record"] for fault in found["faults"]] == ["blob/1"]
