"""Freezing, requiring a frozen stage, and the listing."""

from __future__ import annotations

import threading
from datetime import date
from pathlib import Path

import pytest
import yaml
from protocol_factory import Project

from harness.errors import InputError
from harness.protocol import frozen as frozen_module
from harness.protocol.freeze import freeze, require_frozen
from harness.protocol.frozen import read_frozen
from harness.protocol.listing import list_protocols


def frozen_file(project: Project) -> Path:
    return project.protocols / "FROZEN.yaml"


def test_freeze_writes_date_digest_and_parts_and_keeps_other_entries(project: Project) -> None:
    for name in ("small", "other"):
        project.write_stage(name=name)
    first = freeze("small")
    kept = yaml.safe_load(frozen_file(project).read_text())["small"]
    freeze("other")
    entries = yaml.safe_load(frozen_file(project).read_text())
    assert first.new
    assert date.fromisoformat(first.date)
    assert list(entries) == ["other", "small"]
    assert entries["small"] == kept
    assert kept["digest"] == first.digest
    assert kept["date"] == first.date
    assert "protocol.horizon" in kept["parts"]
    assert "tasks.demo-1.hidden" in kept["parts"]
    assert sorted(path.name for path in project.protocols.iterdir()) == ["FROZEN.yaml", "other.yaml", "small.yaml"]


def test_freezing_again_changes_nothing(project: Project) -> None:
    project.write_stage()
    first = freeze("small")
    before = frozen_file(project).read_bytes(), frozen_file(project).stat().st_mtime_ns
    again = freeze("small")
    assert (again.digest, again.date, again.new) == (first.digest, first.date, False)
    assert (frozen_file(project).read_bytes(), frozen_file(project).stat().st_mtime_ns) == before


def test_freezing_a_changed_stage_is_refused(project: Project) -> None:
    path = project.write_stage()
    freeze("small")
    before = frozen_file(project).read_bytes()
    project.write_stage({"horizon": 40, "repeats": 3})
    with pytest.raises(InputError) as caught:
        freeze("small")
    assert caught.value.file == path
    assert "protocol.horizon (changed), protocol.repeats (changed)" in caught.value.what
    assert caught.value.mend is not None
    assert "new stage" in caught.value.mend
    assert frozen_file(project).read_bytes() == before


def test_an_invalid_stage_is_not_frozen(project: Project) -> None:
    project.write_stage({"horizon": 0})
    with pytest.raises(InputError):
        freeze("small")
    assert not frozen_file(project).exists()


@pytest.mark.parametrize("stage", ["small.yaml", "./small", "nothing"])
def test_only_a_stage_of_the_directory_can_be_frozen(project: Project, stage: str) -> None:
    project.write_stage()
    with pytest.raises(InputError):
        freeze(stage)
    assert not frozen_file(project).exists()


def test_require_frozen(project: Project) -> None:
    path = project.write_stage()
    with pytest.raises(InputError, match="not frozen") as caught:
        require_frozen("small")
    assert caught.value.mend == "restartlab freeze small"
    digest = freeze("small").digest
    protocol, found, tasks = require_frozen("small")
    assert (protocol.stage, found, list(tasks)) == ("small", digest, ["demo-1", "demo-2"])

    hidden = project.tasks / "demo" / "1" / "hidden" / "test_hidden.py"
    hidden.write_text(hidden.read_text().replace("pass", "Pass"))
    with pytest.raises(InputError, match=r"tasks\.demo-1\.hidden \(changed\)") as caught:
        require_frozen("small")
    assert (caught.value.file, caught.value.key) == (path, "tasks.demo-1.hidden")


def test_the_digest_is_the_authority(project: Project) -> None:
    """An edited digest is noticed although every part still fits."""
    project.write_stage()
    digest = freeze("small").digest
    text = frozen_file(project).read_text()
    frozen_file(project).write_text(text.replace(digest, digest[::-1]))
    with pytest.raises(InputError, match="no single key"):
        require_frozen("small")


@pytest.mark.parametrize(
    ("text", "words"),
    [("small: 3\n", "small"), ("small: {date: 2026-01-01, digest: x, parts: {}}\n", "small.date"), ("[\n", "line 2")],
)
def test_a_damaged_frozen_file_is_refused(project: Project, text: str, words: str) -> None:
    project.write_stage()
    frozen_file(project).write_text(text)
    for action in (lambda: freeze("small"), lambda: require_frozen("small"), list_protocols):
        with pytest.raises(InputError, match=words) as caught:
            action()
        assert caught.value.file == frozen_file(project)
    assert frozen_file(project).read_text() == text


def test_concurrent_freezes_keep_every_entry(project: Project) -> None:
    names = [f"stage{number}" for number in range(6)]
    for name in names:
        project.write_stage(name=name)
    threads = [threading.Thread(target=freeze, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(read_frozen()) == names


def test_a_failed_write_leaves_the_old_file(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write_stage()
    freeze("small")
    before = frozen_file(project).read_bytes()
    project.write_stage(name="other")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(frozen_module.os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        freeze("other")
    assert frozen_file(project).read_bytes() == before
    assert not list(project.protocols.glob(".FROZEN*"))


def test_listing_shows_every_stage_and_its_trouble(project: Project) -> None:
    for name in ("clean", "drifted", "gone", "broken", "fresh"):
        project.write_stage(name=name)
    for name in ("clean", "drifted", "gone", "broken"):
        freeze(name)
    project.write_stage({"repeats": 9}, name="drifted")
    project.write_text("stage: broken\n", name="broken")
    (project.protocols / "gone.yaml").unlink()

    rows = {row.stage: row for row in list_protocols()}
    assert list(rows) == ["broken", "clean", "drifted", "fresh", "gone"]
    assert [row.collectable for row in rows.values()] == [False, True, False, False, False]
    clean, drifted, fresh = rows["clean"], rows["drifted"], rows["fresh"]
    assert clean.digest == clean.frozen_digest
    assert clean.date
    assert clean.title == "A small stage"
    assert not clean.drift
    assert [change.key for change in drifted.drift] == ["protocol.repeats"]
    assert drifted.digest != drifted.frozen_digest
    assert (fresh.frozen, fresh.date, fresh.frozen_digest, fresh.problem) == (False, None, None, None)
    assert fresh.digest
    assert rows["gone"].problem == "its file is missing"
    assert rows["broken"].digest is None
    assert "is missing" in (rows["broken"].problem or "")
