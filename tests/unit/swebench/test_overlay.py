"""Hidden files get their places whatever the candidate did there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.workspace.manifest import Entry
from verifiers.overlay import with_files

_DIRECTORY, _FILE, _GONE = Entry("directory", 0o755), Entry("file", 0o644, "0" * 64, 1), Entry("whiteout")
_LINK = Entry("symlink", target="/")
BASE = {
    "p": _DIRECTORY, "p/core.py": _FILE, "p/tests": _DIRECTORY, "p/tests/__init__.py": _FILE,
    "p/tests/test_a.py": _FILE, "p/tests/data": _DIRECTORY, "p/tests/data/x": _FILE,
}  # fmt: skip
NAME = "p/tests/test_a.py"


def test_an_untouched_folder_gets_the_file_alone() -> None:
    merged, contents = with_files({"p/core.py": _FILE}, BASE, {NAME: b"hidden"})
    assert set(merged) == {"p/core.py", NAME}
    assert contents[merged[NAME].sha256 or ""] == b"hidden"


def test_a_deleted_folder_comes_back_with_the_file_alone() -> None:
    merged, _ = with_files({"p/tests": _GONE}, BASE, {NAME: b"hidden"})
    assert merged == {
        "p/tests": _DIRECTORY, NAME: merged[NAME], "p/tests/__init__.py": _GONE, "p/tests/data": _GONE,
    }  # fmt: skip


def test_a_deleted_package_stays_deleted() -> None:
    merged, _ = with_files({"p": _GONE}, BASE, {NAME: b"hidden"})
    assert merged["p"] == merged["p/tests"] == _DIRECTORY
    assert merged["p/core.py"] == merged["p/tests/__init__.py"] == merged["p/tests/data"] == _GONE
    assert merged[NAME].kind == "file"


def test_a_file_that_became_a_folder_or_a_link_is_a_file_again() -> None:
    for candidate in ({NAME: _DIRECTORY, f"{NAME}/x": _FILE}, {NAME: _LINK}, {NAME: _GONE}, {NAME: _FILE}):
        merged, _ = with_files(candidate, BASE, {NAME: b"hidden"})
        assert set(merged) == {NAME}
        assert merged[NAME].size == 6


def test_a_closed_folder_is_opened() -> None:
    merged, _ = with_files({"p/tests": Entry("directory", 0)}, BASE, {NAME: b"hidden"})
    assert merged["p/tests"].mode == 0o755


def test_a_file_that_the_test_patch_deletes_is_gone() -> None:
    assert with_files({}, BASE, {NAME: None})[0] == {NAME: _GONE}
    assert with_files({"p/new.py": _FILE}, BASE, {"p/new.py": None})[0] == {}


_ENTRIES = st.sampled_from([_DIRECTORY, _FILE, _GONE, _LINK])


@given(st.dictionaries(st.sampled_from(["p", "p/tests", NAME, "p/tests/data", "p/core.py"]), _ENTRIES))
def test_every_folder_on_the_way_is_one(candidate: dict[str, Entry]) -> None:
    whole = {
        path: entry for path, entry in candidate.items()
        if all(candidate.get(parent, _DIRECTORY) == _DIRECTORY for parent in _parents(path))
    }  # fmt: skip
    merged, _ = with_files(whole, BASE, {NAME: b"hidden"})
    assert merged[NAME].size == 6
    for path in merged:
        assert all(merged.get(parent, _DIRECTORY).kind == "directory" for parent in _parents(path)), path
    # What the candidate did elsewhere still holds.
    for path in ("p/core.py", "p/tests/data"):
        if path in whole:
            assert merged[path] == whole[path]


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
