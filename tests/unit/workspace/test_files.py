"""Reading and removing trees of an adversary."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from harness.workspace.files import opened, read_file, remove_tree


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that nothing may touch."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "kept").write_text("kept")
    return folder


def descriptor(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


def test_removing_what_is_absent_is_fine(tmp_path: Path) -> None:
    remove_tree(tmp_path / "absent")


def test_a_file_and_a_link_are_removed_themselves(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(outside)
    remove_tree(tmp_path / "file")
    remove_tree(tmp_path / "link")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["outside"]
    assert (outside / "kept").exists()


def test_a_tree_without_permissions_is_removed(tmp_path: Path, outside: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "a" / "b" / "c").mkdir(parents=True)
    (tree / "a" / "b" / "file").write_text("x")
    (tree / "a" / "link").symlink_to(outside)
    os.mkfifo(tree / "a" / "fifo")
    for folder in (tree / "a" / "b" / "c", tree / "a" / "b", tree / "a", tree):
        folder.chmod(0)
    remove_tree(tree)
    assert not tree.exists()
    assert (outside / "kept").exists()


def test_folders_deeper_than_recursion_paths_and_descriptors_are_removed(tmp_path: Path) -> None:
    """No path reaches their end, and a descriptor or a call for each would be too many."""
    tree = tmp_path / "tree"
    tree.mkdir()
    end = descriptor(tree)
    for _ in range(1100):
        os.mkdir("deep", dir_fd=end)
        below = os.open("deep", os.O_RDONLY | os.O_DIRECTORY, dir_fd=end)
        os.close(end)
        end = below
    os.close(end)
    remove_tree(tree)
    assert not tree.exists()


def test_names_that_removal_uses_itself_are_no_obstacle(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for number in range(5):
        (tree / str(number) / str(number) / "1").mkdir(parents=True)
        (tree / str(number) / "file").write_text("x")
    remove_tree(tree)
    assert not tree.exists()


def test_permissions_are_as_before_after_reading(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("secret")
    for name, mode in (("folder/file", 0o000), ("folder", 0o100)):
        (tmp_path / name).chmod(mode)
    with opened(str(tmp_path / "folder"), None, directory=True) as end:
        assert read_file("file", end) == b"secret"
        assert stat.S_IMODE(os.stat("file", dir_fd=end).st_mode) == 0
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o100


@pytest.mark.parametrize("kind", ["link to a file", "link to a folder", "fifo", "folder"])
def test_only_regular_files_are_read(tmp_path: Path, outside: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "fifo":
        os.mkfifo(place)  # opening one for reading would wait for a writer
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(outside if "folder" in kind else outside / "kept")
    end = descriptor(tmp_path)
    with pytest.raises(OSError):
        read_file("place", end)
    os.close(end)


def test_a_link_is_not_opened_as_a_folder(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "link").symlink_to(outside)
    with pytest.raises(OSError), opened(str(tmp_path / "link"), None, directory=True):
        pass
