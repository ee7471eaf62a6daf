"""Places of trajectories: files, folders, archives; the same one twice; the shared recordings."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest
from recordings import mini_1, write

from harness.errors import InputError
from harness.importers.detect import read_all

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "miniswe_sympy_trajectories.tar.xz"


def test_an_archive_is_read_in_place(tmp_path: Path) -> None:
    data = json.dumps(mini_1([("ls", 0, "")])).encode()
    with tarfile.open(tmp_path / "t.tar.xz", "w:xz") as archive:
        for name, content in (("../../up.traj.json", data), ("d/bad.traj.json", b"{"), ("d/readme.txt", b"x")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    found = read_all([tmp_path / "t.tar.xz"])
    assert [record.source for record in found.records] == ["up.traj.json"]
    assert [one.file for one in found.skipped] == ["d/bad.traj.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.tar.xz"]


def test_the_same_trajectory_is_taken_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name / "x.traj.json", mini_1([("ls", 0, "")]))
    found = read_all([tmp_path, tmp_path / "a"])
    assert len(found.records) == 1 and len(found.skipped) == 2


def test_missing_places_and_torn_archives_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_all([tmp_path / "none"])
    (tmp_path / "t.tar.xz").write_bytes(b"torn")
    with pytest.raises(InputError, match="cannot be read as an archive"):
        read_all([tmp_path / "t.tar.xz"])


@pytest.mark.skipif(not SHARED.exists(), reason="the shared recordings are not here")
def test_the_shared_recordings() -> None:
    found = read_all([SHARED])
    assert len(found.records) == 60 and found.skipped == ()
    calls = [call for record in found.records for call in record.calls]
    assert (len(calls), sum(not call.parsed for call in calls)) == (2646, 54)
    seen = [action.observation for call in calls for action in call.actions]
    assert all(one is not None for one in seen)
    assert sum(one.timed_out for one in seen if one) == 2
    assert sum(bool(one.elided) for one in seen if one) == 54
    assert sum(one.submission for one in seen if one) == 60
