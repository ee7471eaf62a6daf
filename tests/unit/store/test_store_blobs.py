"""Blobs: exact, verified, repaired, and safe with many writers."""

from __future__ import annotations

import hashlib
import io
import os
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.store.blobs import BlobError, Blobs
from harness.temporary import temporary_file


def files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=3000))
def test_what_goes_in_comes_out(tmp_path: Path, data: bytes) -> None:
    blobs = Blobs(tmp_path)
    digest = blobs.put(data)
    assert digest == hashlib.sha256(data).hexdigest() == blobs.put_stream(io.BytesIO(data))
    assert blobs.get(digest) == data


def test_layout_and_idempotence(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    digest = blobs.put(b"trajectory" * 1000)
    (path,) = files(blobs.root)
    assert path == blobs.root / digest[:2] / digest[2:4] / f"{digest}.z" == blobs.path(digest)
    assert path.stat().st_size < 1000
    before = path.stat().st_ino
    assert blobs.put(b"trajectory" * 1000) == digest
    assert files(blobs.root) == [path]
    assert path.stat().st_ino == before


def test_a_large_file_is_streamed_in_pieces(tmp_path: Path) -> None:
    source = tmp_path / "layer.tar"
    source.write_bytes(bytes(9 << 20) + os.urandom(3 << 20))
    blobs = Blobs(tmp_path / "blobs")
    digest = blobs.put_file(source)
    content, largest = hashlib.sha256(), 0
    for piece in blobs.chunks(digest):
        content.update(piece)
        largest = max(largest, len(piece))
    assert content.hexdigest() == digest == hashlib.sha256(source.read_bytes()).hexdigest()
    assert largest <= 1 << 20


DATA = os.urandom(1000) + b"x" * 5000


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda packed: packed[:-1], "ends early"),
        (lambda packed: packed[: len(packed) // 2], "ends early"),
        (lambda packed: b"", "ends early"),
        (lambda packed: bytes(len(packed)), "is torn"),
        (lambda packed: packed[:500] + bytes([packed[500] ^ 1]) + packed[501:], "is torn"),
        (lambda packed: packed + b"x", "goes on after the end"),
        (lambda packed: zlib.compress(b"another"), "content of digest"),
    ],
)
@pytest.mark.parametrize("again", ["put", "put_stream"])
def test_a_torn_blob_is_refused_and_repaired_by_another_put(tmp_path: Path, damage, message: str, again: str) -> None:  # type: ignore[no-untyped-def]
    blobs = Blobs(tmp_path)
    digest = blobs.put(DATA)
    path = blobs.path(digest)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(BlobError, match=message) as caught:
        blobs.get(digest)
    assert str(path) in str(caught.value)
    assert digest in str(caught.value)
    assert "mend:" in str(caught.value)
    assert not blobs.holds(digest)
    assert (blobs.put(DATA) if again == "put" else blobs.put_stream(io.BytesIO(DATA))) == digest
    assert blobs.get(digest) == DATA
    assert files(tmp_path) == [path]


def test_a_missing_blob_is_named(tmp_path: Path) -> None:
    with pytest.raises(BlobError, match=f"{'0' * 64} is missing"):
        Blobs(tmp_path).get("0" * 64)


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "0" * 63])
def test_a_digest_cannot_lead_out_of_the_folder(tmp_path: Path, digest: str) -> None:
    with pytest.raises(ValueError, match="not a SHA-256"):
        Blobs(tmp_path).get(digest)


def test_a_failing_source_leaves_nothing(tmp_path: Path) -> None:
    class Failing(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        Blobs(tmp_path).put_stream(Failing())  # type: ignore[arg-type]
    assert files(tmp_path) == []


def test_only_temporary_files_of_dead_writers_are_swept(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    digest = blobs.put(b"kept")
    (tmp_path / ".tmp-dead").write_bytes(b"half")
    with temporary_file(tmp_path) as (_, living):
        assert blobs.sweep() == 1
        assert files(tmp_path) == sorted([living, blobs.path(digest)])
    assert files(tmp_path) == [blobs.path(digest)]


def put_many(root: Path) -> list[str]:
    return [Blobs(root).put(f"content {number}".encode() * 200) for number in range(40)]


def test_writers_of_the_same_blobs_at_once(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4) as pool:
        results = list(pool.map(put_many, [tmp_path] * 4))
    assert all(result == results[0] for result in results)
    blobs = Blobs(tmp_path)
    assert all(blobs.holds(digest) for digest in results[0])
    assert len(files(tmp_path)) == 40
