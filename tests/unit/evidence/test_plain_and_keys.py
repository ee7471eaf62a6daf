"""Canonical values keep what was recorded, byte for byte; keys are made once and read back."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.canonical import canonical_json
from harness.errors import InputError
from harness.evidence.keys import bytes_of, key_id, make_keys, raw_public, read_private, read_public, signed, text_of
from harness.evidence.paths import MISSING, changed, get
from harness.evidence.plain import is_nfc, not_nfc, original, plain

TEXTS = st.text(st.characters(), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8,
)  # fmt: skip


@given(VALUES)
def test_every_value_becomes_canonical_and_comes_back(value: Any) -> None:
    found = plain(value)
    canonical_json(found)
    assert list(not_nfc(found)) == []
    assert original(found) == value


def test_text_that_is_not_normal_is_kept_as_bytes() -> None:
    composed, decomposed = "é", "e\u0301"
    assert plain(composed) == composed
    assert plain({decomposed: decomposed}) != {composed: composed}
    assert original(plain({decomposed: [decomposed]})) == {decomposed: [decomposed]}
    assert original(plain(b"\xff".decode("utf-8", "surrogateescape"))) == "\udcff"
    for odd in ("\ud800", "\ud800\udcff", "\udcc3\udca9", {"pairs": []}, {"utf8_base64": "eA=="}, {"code_points": [1]}):
        assert original(plain(odd)) == odd
    assert is_nfc(composed) and not is_nfc(decomposed) and not is_nfc("\udcff")
    assert list(not_nfc({"a": [{"b": decomposed}]})) == ["a[0].b"]


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="set"):
        plain({1, 2})


def test_keys(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "signer"
    made = make_keys(path)
    private, public = read_private(path), read_public(path.with_name("signer.pub"))
    assert key_id(public) == made == key_id(raw_public(private))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    message = b"bytes"
    signature = private.sign(message)
    assert signed(public, signature, message) and not signed(public, signature, b"bytez")
    with pytest.raises(InputError, match="there already"):
        make_keys(path)
    for read, wrong in ((read_private, path.with_name("signer.pub")), (read_public, path), (read_private, tmp_path)):
        with pytest.raises(InputError):
            read(wrong)


@given(st.binary(max_size=20))
def test_base64_has_one_way_to_be_written(data: bytes) -> None:
    text = text_of(data)
    assert bytes_of(text) == data and bytes_of(text, len(data)) == data and bytes_of(text, len(data) + 1) is None
    assert bytes_of(text + "\n") is None and bytes_of(3) is None


def test_the_unused_bits_of_base64_are_covered() -> None:
    assert bytes_of("QQ==") == b"A" and bytes_of("QR==") is None


def test_paths() -> None:
    body = {"a": {"b": 1}, "rows": [{"x": 1}, {"y": 2}, {"x": 3}]}
    assert get(body, "a.b") == 1 and get(body, "a.c") is MISSING and get(body, "a.b.c") is MISSING
    seen = []
    found = changed(body, "rows[].x", lambda path, value: seen.append(path) or -value)  # type: ignore[func-returns-value]
    assert found["rows"] == [{"x": -1}, {"y": 2}, {"x": -3}] and seen == ["rows[0].x", "rows[2].x"]
    assert body["rows"][0] == {"x": 1} and changed(body, "none.x", lambda path, value: 0) == body
