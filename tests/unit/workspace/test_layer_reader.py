"""Upper folders, made here by hand as overlayfs would leave them, read into canonical layers."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from harness.canonical import digest_bytes
from harness.workspace import layer as layers
from harness.workspace.files import remove_tree
from harness.workspace.layer import DEPTH_MAX, PATH_MAX, Layer, LayerReader
from harness.workspace.manifest import Entry, from_data, to_data

FOLDER = Entry("directory", 0o755)


def file(data: bytes, mode: int = 0o644) -> Entry:
    return Entry("file", mode, digest_bytes(data), len(data))


BASE = {
    "a": FOLDER, "a/b": FOLDER, "a/b/x": file(b"x"), "a/b/y": file(b"y"), "a/z": file(b"z"), "top": file(b"top"),
    "link": Entry("symlink", target="top"),
}  # fmt: skip


@pytest.fixture
def upper(tmp_path: Path) -> Path:
    folder = tmp_path / "upper"
    folder.mkdir()
    return folder


def read(upper: Path) -> dict[str, Entry]:
    return dict(LayerReader(str(upper), BASE).read().manifest)


def folder(path: Path, *, opaque: bool = False, mode: int = 0o755) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    if opaque:
        try:
            os.setxattr(path, "user.overlay.opaque", b"y")
        except OSError:
            pytest.skip("this file system has no user attributes")
    return path


def write(path: Path, data: bytes, mode: int = 0o644) -> None:
    path.write_bytes(data)
    path.chmod(mode)


def whiteout(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(0, 0))


def test_an_empty_upper_is_an_empty_layer(upper: Path) -> None:
    assert read(upper) == {}


def test_what_equals_the_base_is_no_change(upper: Path) -> None:
    folder(upper / "a" / "b")
    folder(upper / "a")
    write(upper / "a" / "b" / "x", b"x")
    (upper / "link").symlink_to("top")
    assert read(upper) == {}


def test_a_whiteout_counts_only_over_something(upper: Path) -> None:
    whiteout(upper / "top")
    whiteout(upper / "never")
    assert read(upper) == {"top": Entry("whiteout")}


def test_an_opaque_folder_is_resolved_into_deletions(upper: Path) -> None:
    folder(upper / "a", opaque=True)
    write(upper / "a" / "new", b"new")
    assert read(upper) == {"a/b": Entry("whiteout"), "a/z": Entry("whiteout"), "a/new": file(b"new")}


def test_a_folder_below_an_opaque_one_hides_the_base_too(upper: Path) -> None:
    """overlayfs marks only the topmost: what was made below it has nothing to hide, as far as it knows."""
    folder(upper / "a", opaque=True)
    folder(upper / "a" / "b")
    write(upper / "a" / "b" / "x", b"x")
    assert read(upper) == {"a/b/y": Entry("whiteout"), "a/z": Entry("whiteout")}


def test_a_file_in_the_place_of_a_folder_and_back(upper: Path) -> None:
    write(upper / "a", b"file")
    folder(upper / "top")
    write(upper / "top" / "in", b"in")
    assert read(upper) == {"a": file(b"file"), "top": FOLDER, "top/in": file(b"in")}


def test_mode_and_target_are_changes(upper: Path) -> None:
    folder(upper / "a", mode=0o700)
    write(upper / "top", b"top", 0o755)
    (upper / "link").symlink_to("a")
    assert read(upper) == {
        "a": Entry("directory", 0o700),
        "top": file(b"top", 0o755),
        "link": Entry("symlink", target="a"),
    }


def test_bytecode_is_left_out_everywhere(upper: Path) -> None:
    write(folder(upper / "__pycache__") / "x.pyc", b"x")
    folder(upper / "a")
    write(folder(upper / "a" / "__pycache__") / "x.pyc", b"x")
    assert read(upper) == {}


def test_the_candidate_has_no_git_and_no_special_file(upper: Path) -> None:
    write(folder(upper / ".git") / "index", b"i")
    folder(upper / "a")
    write(upper / "a" / ".git", b"gitdir: x")
    write(upper / ".gitignore", b"x")
    os.mkfifo(upper / "fifo")
    layer = LayerReader(str(upper), BASE).read()
    assert set(layer.manifest) == {".git", ".git/index", "a/.git", ".gitignore", "fifo"}
    seen = {".gitignore": file(b"x"), "fifo": Entry("whiteout")}
    assert layer.candidate.manifest == seen
    assert layer.verdict_key == Layer(seen).digest != layer.digest


def test_reading_changes_no_mode(upper: Path) -> None:
    folder(upper / "shut")
    write(upper / "shut" / "file", b"x", 0)
    (upper / "shut").chmod(0)
    assert read(upper) == {"shut": Entry("directory", 0), "shut/file": file(b"x", 0)}
    assert stat.S_IMODE((upper / "shut").stat().st_mode) == 0
    remove_tree(upper)


def test_content_is_given_once_and_again_only_when_it_changed(upper: Path) -> None:
    reader, seen = LayerReader(str(upper), BASE), list[bytes]()
    write(upper / "one", b"1")
    write(upper / "two", b"2")
    first = reader.read(seen.append)
    assert sorted(seen) == [b"1", b"2"]
    assert reader.read(seen.append).manifest == first.manifest
    assert len(seen) == 2
    write(upper / "one", b"3")
    os.utime(upper / "one", (0, 0))
    assert reader.read(seen.append).manifest["one"] == file(b"3")
    assert seen[2:] == [b"3"]


@pytest.mark.parametrize(("name", "depth"), [("d", 3 * DEPTH_MAX), ("n" * 250, 2 * PATH_MAX // 250)])
def test_what_lies_too_deep_is_left_out(upper: Path, name: str, depth: int) -> None:
    end = os.open(upper, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, 0o755, dir_fd=end)
        below = os.open(name, os.O_RDONLY, dir_fd=end)
        os.close(end)
        end = below
    os.close(end)
    paths = list(read(upper))
    assert 0 < len(paths) < depth
    assert len(paths) == DEPTH_MAX or PATH_MAX - 251 < len(max(paths, key=len)) <= PATH_MAX
    remove_tree(upper)


def test_a_huge_file_is_told_but_not_read(upper: Path) -> None:
    """Holes as well: three files of 1.5 GB without a byte in them took 47 s."""
    for name in ("a", "b", "top"):
        write(upper / name, b"", 0o600)
        os.truncate(upper / name, 3 << 29)
    seen: list[bytes] = []
    layer = LayerReader(str(upper), BASE).read(seen.append)
    assert seen == []
    assert set(layer.manifest.values()) == {Entry("oversize", 0o600, size=3 << 29)}
    assert set(layer.candidate.manifest.values()) == {Entry("whiteout")}
    assert from_data(to_data(layer.manifest)) == layer.manifest
    os.truncate(upper / "a", 3 << 28)
    assert LayerReader(str(upper), BASE).read().digest != layer.digest


def test_contents_together_are_bounded_in_the_order_of_paths(upper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "TOTAL_MAX", 1000)
    monkeypatch.setattr(layers, "FILE_MAX", 700)
    for name, size in (("d", 10), ("c", 600), ("b", 500), ("a/b/n", 400), ("e", 800)):
        folder((upper / name).parent)
        write(upper / name, b"x" * size)
    reader = LayerReader(str(upper), BASE)
    kinds = {path: entry.kind for path, entry in reader.read().manifest.items() if entry.kind != "directory"}
    assert kinds == {"a/b/n": "file", "b": "file", "c": "oversize", "d": "file", "e": "oversize"}
    assert reader.read().digest == LayerReader(str(upper), BASE).read().digest
