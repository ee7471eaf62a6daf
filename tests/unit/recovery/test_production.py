"""What of a workspace's changes is production code."""

from __future__ import annotations

import pytest

from harness.recovery.production import production_part
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry

FILE, FOLDER, GONE = Entry("file", 0o644, "0" * 64, 1), Entry("directory", 0o755), Entry("whiteout")
BASE = {
    "pkg": FOLDER, "pkg/__init__.py": FILE, "pkg/core.py": FILE, "pkg/data": FILE, "pkg/sub": FOLDER,
    "pkg/sub/deep.py": FILE, "pkg/sub/tests": FOLDER, "pkg/sub/tests/test_deep.py": FILE, "setup.py": FILE,
    "bin": FOLDER, "bin/tool.py": FILE, "src": FOLDER, "src/lib": FOLDER, "src/lib/__init__.py": FILE,
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("pkg/core.py", True), ("pkg/new.py", True), ("pkg/new/deep.py", True), ("src/lib/x.py", True),
        ("pkg/data", False), ("pkg/test_core.py", False), ("pkg/core_test.py", False), ("pkg/conftest.py", False),
        ("pkg/tests/helper.py", False), ("pkg/testing/helper.py", False), ("reproduce.py", False), ("setup.py", False),
        ("bin/tool.py", False), ("patch.txt", False), ("src/x.py", False), ("pkg/contest.py", True),
    ],
)  # fmt: skip
def test_python_files_of_packages_and_no_tests(path: str, kept: bool) -> None:
    for entry in (FILE, GONE):
        assert (path in production_part(Layer({path: entry}), BASE).manifest) is kept


@pytest.mark.parametrize("entry", [GONE, FILE, Entry("symlink", target="/etc")])
def test_what_takes_the_place_of_a_folder_deletes_its_files(entry: Entry) -> None:
    found = production_part(Layer({"pkg/sub": entry}), BASE)
    assert dict(found.manifest) == {"pkg/sub/deep.py": GONE}


def test_links_and_special_files_are_no_code() -> None:
    odd = {f"pkg/{kind}.py": Entry(kind) for kind in ("fifo", "device", "oversize")}  # type: ignore[arg-type]
    assert production_part(Layer({**odd, "pkg/link.py": Entry("symlink", target="core.py")}), BASE).manifest == {}
