"""Manifests as plain data."""

from __future__ import annotations

import os
import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from harness.canonical import digest_bytes
from harness.workspace.manifest import Entry, decode_name, encode_name, from_data, manifest_digest, scan_tree, to_data

names = st.binary(min_size=1, max_size=40).filter(lambda raw: b"\0" not in raw)
entries = st.one_of(
    st.builds(
        lambda mode, data: Entry("file", mode, digest_bytes(data), len(data)),
        st.integers(0, 0o7777),
        st.binary(max_size=5),
    ),
    st.builds(lambda mode: Entry("directory", mode), st.integers(0, 0o7777)),
    st.builds(lambda raw: Entry("symlink", target=encode_name(os.fsdecode(raw))), names),
    st.just(Entry("whiteout")),
)


@given(raw=names)
def test_names_survive_as_printable_ascii(raw: bytes) -> None:
    text = encode_name(os.fsdecode(raw))
    assert os.fsencode(decode_name(text)) == raw
    assert text.isascii() and text.isprintable()


@given(first=names, second=names)
def test_different_names_have_different_texts(first: bytes, second: bytes) -> None:
    assert (encode_name(os.fsdecode(first)) == encode_name(os.fsdecode(second))) == (first == second)


@given(manifest=st.dictionaries(names.map(os.fsdecode).map(encode_name), entries, max_size=6), seed=st.integers())
def test_the_digest_depends_on_content_and_not_on_order(manifest: dict[str, Entry], seed: int) -> None:
    shuffled = list(manifest.items())
    random.Random(seed).shuffle(shuffled)
    assert manifest_digest(dict(shuffled)) == manifest_digest(manifest)
    assert from_data(to_data(manifest)) == manifest
    for path in manifest:
        assert manifest_digest({p: e for p, e in manifest.items() if p != path}) != manifest_digest(manifest)


def test_every_part_of_an_entry_is_digested() -> None:
    variants = [
        Entry("file", 0o644, "a" * 64, 1), Entry("file", 0o755, "a" * 64, 1), Entry("file", 0o644, "b" * 64, 1),
        Entry("directory", 0o644), Entry("directory", 0o755), Entry("symlink", target="a"),
        Entry("symlink", target="b"),
        Entry("whiteout"), Entry("fifo", 0o644), Entry("socket", 0o644), Entry("device", 0o644),
    ]  # fmt: skip
    assert len({manifest_digest({"path": entry}) for entry in variants}) == len(variants)


def test_a_scan_knows_every_kind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir(mode=0o755)
    (tmp_path / "folder").chmod(0o750)
    (tmp_path / "folder" / os.fsdecode(b"\xff%")).write_bytes(b"abc")
    (tmp_path / "folder" / os.fsdecode(b"\xff%")).chmod(0o4711)
    (tmp_path / "link").symlink_to("../é")
    os.mkfifo(tmp_path / "fifo", 0o600)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_bytes(b"x")
    assert scan_tree(str(tmp_path)) == {
        "folder": Entry("directory", 0o750),
        "folder/%FF%25": Entry("file", 0o4711, digest_bytes(b"abc"), 3),
        "link": Entry("symlink", target="../%C3%A9"),
        "fifo": Entry("fifo", 0o600),
    }
