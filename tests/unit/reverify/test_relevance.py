"""Scratch files cost no verification; whatever a test could see is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.canonical import digest_bytes
from harness.reverify.relevance import judged_part
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry


def base(tmp_path: Path) -> Base:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_text("import optional_thing\n")
    (tmp_path / "known.py").write_text("")
    manifest = {"pkg": Entry("directory", 0o755), "pkg/a.py": Entry("file", 0o644, "0" * 64, 1),
                "known.py": Entry("file", 0o644, "0" * 64, 0)}  # fmt: skip
    return Base("d", tmp_path, tmp_path, manifest)


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"reproduce.py": b"x", "pkg/a.py": b"y"}, ["pkg/a.py"]),
        ({"notes.txt": b"x"}, []),
        ({"optional_thing.py": b"x"}, ["optional_thing.py"]),
        ({"helper.py": b"x", "pkg/a.py": b"import helper"}, ["helper.py", "pkg/a.py"]),
        ({"inhidden.py": b"x"}, ["inhidden.py"]),
        ({"conftest.py": b"x", "sitecustomize.py": b"x"}, ["conftest.py", "sitecustomize.py"]),
        ({"known.py": b"x"}, ["known.py"]),
        ({"pkg/new.py": b"x"}, ["pkg/new.py"]),
        ({"data.bin": b"x"}, ["data.bin"]),
        ({"one.py": b"import two", "two.py": b""}, []),
    ],
)
def test_what_is_judged(tmp_path: Path, files: dict[str, bytes], left: list[str]) -> None:
    contents = {digest_bytes(content): content for content in files.values()}
    layer = Layer({path: Entry("file", 0o644, digest_bytes(files[path]), len(files[path])) for path in sorted(files)})
    found = judged_part(layer, base(tmp_path), contents.__getitem__, [b"from pkg import inhidden"])
    assert sorted(found.manifest) == left
