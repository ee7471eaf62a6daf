"""Folders of reports: written whole, verified, and never over what others wrote."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from analysis.errors import InputError
from analysis.report.folder import write_folder
from analysis.report.manifest import NAME, Artifact, listed, manifest_text, role_of, verified, write_manifest


def made(**texts: str) -> dict[str, bytes]:
    """Files and their manifest."""
    import hashlib

    files = {name.replace("__", "."): text.encode() for name, text in texts.items()}
    rows = (Artifact(n, role_of(n), len(d), hashlib.sha256(d).hexdigest()) for n, d in sorted(files.items()))
    return files | {NAME: manifest_text(tuple(rows)).encode()}


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_report_replaces_a_report_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "new" / "report"
    write_folder(place, made(report__md="one", old__svg="x"))
    write_folder(place, made(report__md="two"))
    assert content(place) == made(report__md="two")
    assert [path.name for path in place.parent.iterdir()] == ["report"]
    found = verified(place)
    assert found is not None
    assert found.intact
    assert [(one.path, one.role) for one in found.artifacts] == [("report.md", "text")]


def test_foreign_and_changed_files_are_never_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "report"
    place.mkdir()
    write_folder(place, made(report__md="one"))  # an empty folder is free
    for spoil, message in (
        (lambda: (place / "notes.txt").write_text("mine"), "notes.txt is not a report's"),
        (lambda: (place / "report.md").write_text("edited"), "report.md was changed"),
        (lambda: (place / NAME).unlink(), "not a report's"),
        (lambda: (place / NAME).write_text("[]"), "is not a manifest"),
        (lambda: (place / NAME).write_text("{"), "is not a manifest"),
        (lambda: (place / "link").symlink_to("/"), "no plain file"),
    ):
        for path in place.iterdir():
            path.unlink()
        for name, data in made(report__md="one").items():
            (place / name).write_bytes(data)
        spoil()
        before = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
        with pytest.raises(InputError, match=message):
            write_folder(place, made(report__md="two"))
        assert {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()} == before


def test_places_that_cannot_be_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    for place, message in ((tmp_path / "file", "no folder"), (tmp_path / "file" / "below", "cannot be written")):
        with pytest.raises(InputError, match=message):
            write_folder(place, made(report__md="one"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="working directory"):
        write_folder(Path("."), made(report__md="one"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_a_failure_on_the_way_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "report"
    write_folder(place, made(report__md="one"))
    full = {"report.md": b"two", "report.md/below": b"cannot be: a file stands in the way"}
    with pytest.raises(InputError, match="cannot be written"):
        write_folder(place, full)
    assert content(place) == made(report__md="one")
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_verification_names_what_differs(tmp_path: Path) -> None:
    for name in ("a.csv", "b.db", "c"):
        (tmp_path / name).write_text(name)
    assert verified(tmp_path) is None
    write_manifest(tmp_path)
    assert [one.role for one in listed(tmp_path)] == ["events", "database", "other"]
    assert verified(tmp_path).intact  # type: ignore[union-attr]
    (tmp_path / "a.csv").write_text("b.csv")
    (tmp_path / "b.db").unlink()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "d").write_text("")
    found = verified(tmp_path)
    assert found is not None
    assert (found.changed, found.missing, found.foreign, found.intact) == (("a.csv",), ("b.db",), ("sub/d",), False)
    with pytest.raises(InputError, match="there already"):
        write_manifest(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        listed(tmp_path / "none")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_the_folder_is_refused_and_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="no plain file"):
        listed(tmp_path)
