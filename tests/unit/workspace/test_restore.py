"""Layers put back as they were captured, and layers of an adversary refused."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from harness.canonical import digest_bytes
from harness.errors import InputError
from harness.workspace.layer import Layer, LayerReader
from harness.workspace.manifest import Entry, encode_name
from harness.workspace.restore import refusals, restore

BASE = {
    "pkg": Entry("directory", 0o755),
    "pkg/old.py": Entry("file", 0o644, "0" * 64, 1),
    "plain": Entry("file", 0o644, "1" * 64, 1),
}
CONTENT = b"content"
FILE = Entry("file", 0o644, digest_bytes(CONTENT), len(CONTENT))
ODD = os.fsdecode(b"new\nline \xff%2e%2e")


def content(digest: str) -> bytes:
    assert digest == FILE.sha256
    return CONTENT


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "cage" / "upper"
    folder.mkdir(parents=True)
    return folder


def fill(folder: Path) -> None:
    """Every kind of file that anybody may make, with awkward names and modes."""
    (folder / "pkg").mkdir(mode=0o755)
    (folder / "pkg").chmod(0o755)
    os.mknod(folder / "pkg" / "old.py", stat.S_IFCHR | 0o600, os.makedev(0, 0))  # deleted
    (folder / "new").mkdir()
    (folder / "new" / ODD).write_bytes(CONTENT)
    (folder / "new" / "run").write_bytes(CONTENT)
    (folder / "new" / "run").chmod(0o755)
    (folder / "new" / "secret").write_bytes(CONTENT)
    (folder / "new" / "secret").chmod(0)
    (folder / "new" / "link").symlink_to("run")
    (folder / "new" / "up").symlink_to("../plain")
    os.mkfifo(folder / "new" / "pipe", 0o640)
    (folder / "shared").mkdir()
    (folder / "shared").chmod(0o1777)
    (folder / "closed").mkdir()
    (folder / "closed" / "inside").write_bytes(CONTENT)
    (folder / "closed").chmod(0)
    here = os.getcwd()
    os.chdir(folder)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("ear")
    finally:
        os.chdir(here)


def test_every_kind_of_file_comes_back_as_it_was_captured(tmp_path: Path, place: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    fill(source)
    captured = LayerReader(str(source), BASE).read()
    kinds = {entry.kind for entry in captured.manifest.values()}
    assert kinds == {"file", "directory", "symlink", "whiteout", "fifo", "socket"}
    restore(captured, place, content, BASE)
    again = LayerReader(str(place), BASE).read()
    assert again.manifest == captured.manifest
    assert again.digest == captured.digest
    assert stat.S_IMODE((place / "shared").stat().st_mode) == 0o1777
    assert stat.S_IMODE(os.lstat(place / "closed").st_mode) == 0
    assert stat.S_ISFIFO(os.lstat(place / "new" / "pipe").st_mode)
    assert os.readlink(place / "new" / "up") == "../plain"


POISON = {
    "absolute link": ({"x": Entry("symlink", target="/etc/passwd")}, "absolute"),
    "link out": ({"x": Entry("symlink", target="../outside")}, "may leave the workspace"),
    "link out of a folder": ({"pkg/x": Entry("symlink", target="../../outside")}, "may leave the workspace"),
    "link down and up": ({"x": Entry("symlink", target="pkg/../../outside")}, "may leave the workspace"),
    "encoded link out": ({"x": Entry("symlink", target="%2e%2e/outside")}, "may leave the workspace"),
    "link to nothing": ({"x": Entry("symlink", target="")}, "to nothing"),
    "setuid file": ({"x": Entry("file", 0o4755, FILE.sha256, 7)}, "setuid"),
    "setgid folder": ({"x": Entry("directory", 0o2755)}, "setuid or setgid"),
    "device": ({"x": Entry("device", 0o600)}, "is a device"),
    "too large": ({"x": Entry("oversize", 0o600, size=1 << 40)}, "too large"),
    "unknown kind": ({"x": Entry("door", 0o600)}, "unknown kind"),  # type: ignore[arg-type]
    "absolute name": ({"/etc/x": FILE}, "no capture writes"),
    "name out": ({"../x": FILE}, "no capture writes"),
    "encoded name out": ({"%2e%2e/x": FILE}, "no capture writes"),
    "empty name": ({"": FILE}, "no capture writes"),
    "name with NUL": ({"a%00b": FILE}, "no capture writes"),
    "name that is too long": ({"n" * 256: FILE}, "more than 255 bytes"),
    "below a link": ({"x": Entry("symlink", target="pkg"), "x/y": FILE}, "no folder"),
    "below a file of the base": ({"plain/y": FILE}, "no folder"),
    "below nothing": ({"void/y": FILE}, "no folder"),
    "below a deletion": ({"pkg": Entry("whiteout"), "pkg/y": FILE}, "no folder"),
}  # fmt: skip


@pytest.mark.parametrize("what", POISON)
def test_a_poisoned_layer_is_refused_before_anything_is_written(place: Path, what: str) -> None:
    manifest, said = POISON[what]
    earlier = place.parent / "earlier"
    earlier.write_bytes(b"untouched")
    with pytest.raises(InputError, match=said):
        restore(Layer({"first": FILE, **manifest}), place, content, BASE)
    assert list(place.iterdir()) == []
    assert sorted(path.name for path in place.parent.iterdir()) == ["earlier", "upper"]
    assert earlier.read_bytes() == b"untouched"


def test_a_clean_layer_has_no_refusals() -> None:
    links = {"pkg/up": Entry("symlink", target="../plain"), "to": Entry("symlink", target="./pkg/old.py")}
    odd = {encode_name(ODD): FILE, "...": FILE, "-rf": FILE, ".git": Entry("directory", 0o755)}
    assert list(refusals({**links, **odd}, BASE)) == []


@pytest.mark.parametrize(
    "manifest",
    [
        {"pkg/__pycache__": Entry("directory", 0o755)},  # no capture sees it
        {"gone": Entry("whiteout")},  # there is nothing to delete
        {"pkg": Entry("directory", 0o755)},  # nothing changed
        {"x": Entry("file", 0o644, FILE.sha256, 8)},  # not its length
    ],
)
def test_what_would_come_back_otherwise_is_refused(place: Path, manifest: dict[str, Entry]) -> None:
    with pytest.raises(InputError, match="came back as"):
        restore(Layer(manifest), place, content, BASE)
