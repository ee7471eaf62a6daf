"""What comes out of an engine's archive of a folder: plain files in the target, whatever the archive holds."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from harness.errors import InfrastructureError
from harness.sandbox.docker.export import _Chunks, _extract

Member = tuple[str, bytes, str, int]
FILE, FOLDER, LINK, HARD = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE


def extracted(target: Path, *members: Member, chunk: int = 700) -> None:
    """Extracts an archive of (name, type, text or link, mode), read in chunks."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, kind, text, mode in members:
            member = tarfile.TarInfo(name)
            member.type, member.mode = kind, mode
            if kind in (LINK, HARD):
                member.linkname, text = text, ""
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    data = raw.getvalue()
    pieces = (data[start : start + chunk] for start in range(0, len(data), chunk))
    with tarfile.open(fileobj=io.BufferedReader(_Chunks(pieces)), mode="r|") as tar:
        _extract(tar, target)


def test_files_links_and_modes(tmp_path: Path) -> None:
    extracted(
        tmp_path, ("testbed/", FOLDER, "", 0o700), ("testbed/a.py", FILE, "x" * 5000, 0o600),
        ("testbed/run", FILE, "#!", 0o4755), ("testbed/d", FOLDER, "", 0o1777),
        ("testbed/d/b", HARD, "testbed/a.py", 0), ("testbed/up", LINK, "../../etc/passwd", 0o777),
        ("testbed/pipe", tarfile.FIFOTYPE, "", 0o644),
        ("testbed/.git/HEAD", FILE, "later history", 0o644), ("testbed/sub/.git", FILE, "gitdir: ../x", 0o644),
        ("testbed/d/__pycache__/b.pyc", FILE, "old", 0o644),
    )  # fmt: skip
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert found == ["a.py", "d", "d/b", "run", "up"]
    assert (tmp_path / "d" / "b").read_text() == (tmp_path / "a.py").read_text() == "x" * 5000
    modes = {name: (tmp_path / name).lstat().st_mode & 0o7777 for name in ("a.py", "run", "d")}
    assert modes == {"a.py": 0o644, "run": 0o755, "d": 0o755}
    assert (tmp_path / "up").readlink() == Path("../../etc/passwd")
    assert (tmp_path / "d" / "b").stat().st_nlink == 1


@pytest.mark.parametrize(
    "members",
    [
        [("testbed/../x", FILE, "1", 0o644)],
        [("testbed/out", LINK, "/", 0o777), ("testbed/out/tmp/x", FILE, "1", 0o644)],
        [("testbed/x", HARD, "testbed/../../../../../etc/hostname", 0)],
        [("testbed/out", LINK, "/etc", 0o777), ("testbed/x", HARD, "testbed/out/hostname", 0)],
    ],
    ids=["upwards", "through-link", "hard-link-upwards", "hard-link-through-link"],
)
def test_a_path_that_leaves_the_folder_is_refused(tmp_path: Path, members: list[Member]) -> None:
    target = tmp_path / "target"
    target.mkdir()
    with pytest.raises(InfrastructureError, match="leaves its folder"):
        extracted(target, *members)
    assert not (tmp_path / "x").exists()
