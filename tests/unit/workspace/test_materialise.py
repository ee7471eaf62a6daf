"""Layers written back to disk, those of an adversary too."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.canonical import digest_bytes
from harness.errors import InputError
from harness.workspace.files import remove_tree
from harness.workspace.manifest import Entry, encode_name, scan_tree
from harness.workspace.materialise import materialise, safe_path

CONTENT = b"content"
FILE = Entry("file", 0o644, digest_bytes(CONTENT), len(CONTENT))


def content(digest: str) -> bytes:
    assert digest == FILE.sha256
    return CONTENT


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "cage" / "target"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    "path",
    ["", "/", "/etc/x", "../x", "a/../../x", "a/..", "./x", "a//b", "a/", ".", "..", "%2e%2e/x", "%2E%2E/x",
     "a%2F..%2F..%2Fx",
     "%2Fetc%2Fx", "a%00b", "a\0b", "%2e", "a/%2e%2e/%2e%2e/x", "plain%41"],
)  # fmt: skip
def test_paths_that_leave_the_folder_are_refused_before_anything_is_written(target: Path, path: str) -> None:
    with pytest.raises(InputError, match="unsafe path"):
        materialise({"first": FILE, path: FILE}, target, content, {})
    assert list(target.iterdir()) == []


@given(raw=st.binary(min_size=1, max_size=30).filter(lambda raw: b"\0" not in raw))
def test_a_path_is_refused_or_stays_below(raw: bytes) -> None:
    name = os.fsdecode(raw)
    parts = raw.split(b"/")
    try:
        assert safe_path(encode_name(name)) == name
    except InputError:
        assert any(part in (b"", b".", b"..") for part in parts)
    else:
        assert os.path.normpath(b"/cage/" + raw) == b"/cage/" + raw


segments = st.sampled_from(["a", "b", "..", ".", "%2e%2e", "%2F", "..%2F..", "etc", ""])
wild = st.dictionaries(
    st.lists(segments, min_size=1, max_size=4).map("/".join),
    st.sampled_from(
        [
            FILE,
            Entry("directory", 0o755),
            Entry("symlink", target="/"),
            Entry("symlink", target=".."),
            Entry("whiteout"),
        ]
    ),
    max_size=5,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(manifest=wild)
def test_nothing_is_ever_written_outside(tmp_path: Path, manifest: dict[str, Entry]) -> None:
    cage = tmp_path / "cage"
    remove_tree(cage)
    (cage / "target").mkdir(parents=True)
    with contextlib.suppress(InputError, OSError):
        materialise(manifest, cage / "target", content, {})
    assert [p.name for p in cage.iterdir()] == ["target"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cage"]


@pytest.mark.parametrize("link", ["outside", "outside/inner"])
def test_a_link_in_the_way_is_not_followed(tmp_path: Path, target: Path, link: str) -> None:
    """A manifest that has a link and, below it, a file: written through the link, the file would lie outside."""
    (tmp_path / "outside" / "inner").mkdir(parents=True)
    escape = Entry("symlink", target=str(tmp_path / link))
    with contextlib.suppress(OSError):
        materialise({"way": escape, "way/file": FILE}, target, content, {})
    with contextlib.suppress(OSError):
        materialise({"way2": Entry("directory", 0o755), "way2/file": escape, "way2/file/x": FILE}, target, content, {})
    assert [p for p in (tmp_path / "outside").rglob("*") if p.name != "inner"] == []


def test_setuid_setgid_and_sticky_are_dropped(target: Path) -> None:
    manifest = {"tool": Entry("file", 0o7755, FILE.sha256, 7), "folder": Entry("directory", 0o3777)}
    materialise(manifest, target, content, {})
    assert stat.S_IMODE((target / "tool").stat().st_mode) == 0o755
    assert stat.S_IMODE((target / "folder").stat().st_mode) == 0o777


def test_modes_do_not_depend_on_the_umask(target: Path) -> None:
    before = os.umask(0o077)
    try:
        materialise(
            {"a": Entry("directory", 0o775), "a/f": Entry("file", 0o666, FILE.sha256, 7), "n/f": FILE},
            target,
            content,
            {},
        )
    finally:
        os.umask(before)
    modes = {path: entry.mode for path, entry in scan_tree(str(target)).items()}
    assert modes == {"a": 0o775, "a/f": 0o666, "n": 0o755, "n/f": 0o644}


def test_parents_keep_the_bases_modes(target: Path) -> None:
    base = {"pkg": Entry("directory", 0o711), "pkg/sub": Entry("directory", 0o700)}
    materialise({"pkg/sub/file": FILE}, target, content, base)
    modes = {path: entry.mode for path, entry in scan_tree(str(target)).items()}
    assert modes == {"pkg": 0o711, "pkg/sub": 0o700, "pkg/sub/file": 0o644}


def test_a_folder_without_permission_is_filled_first(target: Path) -> None:
    materialise(
        {"shut": Entry("directory", 0), "shut/in": Entry("directory", 0), "shut/in/file": FILE}, target, content, {}
    )
    assert stat.S_IMODE((target / "shut").stat().st_mode) == 0
    remove_tree(target)


def test_whiteouts_are_made_and_special_files_are_not(target: Path) -> None:
    kinds = {
        "gone": Entry("whiteout"),
        "fifo": Entry("fifo", 0o644),
        "sock": Entry("socket", 0o644),
        "dev": Entry("device", 0o666),
    }
    materialise(kinds, target, content, {})
    assert [p.name for p in target.iterdir()] == ["gone"]
    facts = (target / "gone").lstat()
    assert stat.S_ISCHR(facts.st_mode)
    assert facts.st_rdev == 0


def test_a_manifest_cannot_ask_for_a_device(target: Path) -> None:
    with contextlib.suppress(InputError, OSError, TypeError):
        materialise({"d": Entry("block 8 0", 0o666)}, target, content, {})  # type: ignore[arg-type]
    assert list(target.iterdir()) == []
