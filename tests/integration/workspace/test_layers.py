"""What a snapshot says of particular changes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from desks import FILES, ODD_NAMES, SHOW, Desk, boxed, desk_on

from harness.workspace.base import Base, tree_digest
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry, decode_name, encode_name
from harness.workspace.workspace import CandidateMount

pytestmark = pytest.mark.needs_bwrap
EMPTY = Layer({}).digest


def test_a_fresh_workspace_is_the_base_and_its_layer_is_empty(desk: Desk, base: Base, site: Path) -> None:
    assert desk.layer().manifest == {}
    desk.sh("echo changed > unended; git add -A; git commit -qm more; echo t > /tmp/t; echo h > ~/h")
    assert desk.layer().digest != EMPTY
    with desk_on(base, site) as reset:  # a reset is a fresh workspace
        assert reset.layer().digest == EMPTY
        assert reset.sh("cat unended; ls -A /tmp ~ | grep -c .") == FILES["unended"].decode() + "2\n"
        assert reset.sh("git log --oneline | wc -l").strip() == "1"


@pytest.mark.parametrize(
    "command",
    ["git status", "git diff", "git log --stat", "git grep answer", "git diff HEAD~0; git status --short",
     "touch pkg/core.py; git status",
     "git config user.name x; git branch other; git tag t; git gc -q", "echo x > .git/file", "rm -rf .git",
     "python3 -c 'import pkg'; python3 -m compileall -q pkg; touch pkg/__pycache__/more"],
)  # fmt: skip
def test_looking_around_leaves_the_verdict_key(desk: Desk, command: str) -> None:
    desk.sh(command)
    assert desk.layer().verdict_key == EMPTY
    desk.sh("echo '# x' >> pkg/core.py")
    key = desk.layer().verdict_key
    desk.sh(command)
    assert desk.layer().verdict_key == key != EMPTY


def test_git_is_in_the_layer_digest_and_not_in_the_verdict_key(desk: Desk) -> None:
    desk.sh("echo x > .git/file; mkdir -p pkg/.git; echo y > pkg/.git/config; printf 'gitdir: ..' > odd/.git")
    layer = desk.layer()
    assert set(layer.manifest) == {".git/file", "pkg/.git", "pkg/.git/config", "odd/.git"}
    assert layer.digest != EMPTY
    assert layer.verdict_key == EMPTY


def test_bytecode_is_in_neither(desk: Desk) -> None:
    assert desk.sh("python3 -c 'import pkg; print(pkg.answer())'; ls -d pkg/__pycache__").split() == [
        "41",
        "pkg/__pycache__",
    ]
    assert desk.layer().digest == EMPTY


@pytest.mark.parametrize(
    "command",
    ["touch pkg/core.py", "cp -a pkg/core.py /tmp && echo x > pkg/core.py && cat /tmp/core.py > pkg/core.py",
     "mv pkg moved && mv moved pkg", "rm -rf pkg && git checkout -q -- pkg", "chmod 600 binary && chmod 644 binary",
     "ln binary other && rm other", "rm dangling && ln -s nowhere dangling", "echo > new && rm new",
     "mkdir -p n/e/w && rm -r n",
     "rm -r pkg/sub; mkdir -p pkg/sub/deep; for n in x y; do echo $n > pkg/sub/deep/$n; done; echo z > pkg/sub/z"],
)  # fmt: skip
def test_a_change_that_was_undone_is_none(desk: Desk, command: str) -> None:
    desk.sh(command)
    assert desk.layer().verdict_key == EMPTY


def test_every_kind_of_content_comes_back_byte_for_byte(desk: Desk, base: Base, site: Path) -> None:
    desk.sh("""
printf 'a\\r\\nb\\r\\n' > crlf.txt; printf 'still none' > unended; head -c 70000 /dev/urandom > binary; : > new-empty
chmod 755 pkg/core.py; chmod 700 pkg; ln -s /etc/passwd absolute2; ln -sfn elsewhere link; ln -s '' nothing 2>/dev/null
ln pkg/sub/z hard1; ln hard1 hard2; echo more >> hard2; mkdir -m 711 'folder with
newline'; echo x > 'folder with
newline'/file; echo log > new.log; rm kept.log; printf 'a\\nb' > "$(printf 'latin\\351')"
for f in odd/*; do printf changed >> "$f"; done
""")
    layer = desk.layer()
    manifest = layer.manifest
    assert manifest["crlf.txt"].size == 6
    assert manifest["pkg/core.py"] == Entry("file", 0o755, manifest["pkg/core.py"].sha256, len(FILES["pkg/core.py"]))
    assert manifest["pkg"] == Entry("directory", 0o700)
    assert manifest["absolute2"] == Entry("symlink", target="/etc/passwd")
    assert manifest["kept.log"] == Entry("whiteout")
    assert manifest["hard1"] == manifest["hard2"]
    assert {p for p in manifest if p.startswith("odd/")} == {
        f"odd/{encode_name(os.fsdecode(raw))}" for raw in ODD_NAMES
    }
    assert "latin%E9" in manifest
    wanted = desk.sh(SHOW)
    with CandidateMount(base, layer.candidate.manifest, desk.contents.__getitem__) as mounts:
        assert boxed(mounts, site).text(SHOW) == wanted


def test_a_change_of_mode_alone_is_a_change(desk: Desk) -> None:
    desk.sh("chmod 755 binary")
    assert desk.changes() == {"binary"}


def test_a_folder_that_was_only_copied_up_is_no_change(desk: Desk) -> None:
    desk.sh("echo changed > pkg/sub/deep/x")
    assert desk.changes() == {"pkg/sub/deep/x"}


def test_replaced_folders_files_and_links(desk: Desk) -> None:
    desk.sh(
        "rm -r pkg/sub; echo file > pkg/sub; rm binary; mkdir binary; echo x > binary/x; "
        "rm link; mkdir link; rm -r odd; ln -s /etc odd"
    )
    manifest = desk.layer().candidate.manifest
    assert {p: e.kind for p, e in manifest.items()} == {
        "pkg/sub": "file", "binary": "directory", "binary/x": "file", "link": "directory", "odd": "symlink",
    }  # fmt: skip


def test_special_files_are_noted_but_no_evaluator_gets_them(desk: Desk, base: Base, site: Path) -> None:
    desk.sh("rm pkg/__init__.py; mkfifo fifo pkg/__init__.py")
    desk.sh("python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'")
    layer = desk.layer()
    kinds = {p: e.kind for p, e in layer.manifest.items()}
    assert kinds == {"fifo": "fifo", "sock": "socket", "pkg/__init__.py": "fifo"}
    with CandidateMount(base, layer.candidate.manifest, desk.contents.__getitem__) as mounts:
        gone = "test -e fifo || test -e sock || test -e pkg/__init__.py"  # nor does the base's file come back
        assert boxed(mounts, site).run(gone).returncode == 1


def test_files_and_folders_without_permissions_are_read_and_left_so(desk: Desk) -> None:
    desk.sh(
        "mkdir shut shut/inner; echo secret > shut/file; echo x > unreadable; "
        "chmod 000 unreadable shut/file shut/inner shut; chmod 000 pkg"
    )
    before = {p: (upper.lstat().st_mode) for p in ("shut", "unreadable", "pkg") for upper in [desk.upper() / p]}
    manifest = desk.layer().manifest
    after = {p: (upper.lstat().st_mode) for p in ("shut", "unreadable", "pkg") for upper in [desk.upper() / p]}
    assert before == after
    assert {stat.S_IMODE(mode) for mode in after.values()} == {0}
    assert {p: (e.kind, e.mode) for p, e in manifest.items()} == {
        "shut": ("directory", 0), "shut/inner": ("directory", 0), "shut/file": ("file", 0), "unreadable": ("file", 0),
        "pkg": ("directory", 0),
    }  # fmt: skip
    assert desk.contents[manifest["shut/file"].sha256 or ""] == b"secret\n"
    assert desk.layer().manifest == manifest


def test_a_layer_without_permissions_is_materialised_and_removed(desk: Desk, base: Base, site: Path) -> None:
    desk.sh("mkdir shut; echo secret > shut/file; chmod 000 shut/file shut")
    layer = desk.layer()
    with CandidateMount(base, layer.manifest, desk.contents.__getitem__) as mounts:
        assert boxed(mounts, site).text("stat -c %a shut; chmod 700 shut; stat -c %a shut/file").split() == ["0", "0"]
    assert not mounts.lowers[1].exists()


def test_setuid_is_recorded_and_never_written_back(desk: Desk, base: Base) -> None:
    desk.sh("cp /usr/bin/id tool; chmod 6755 tool; mkdir sticky; chmod 3777 sticky")
    layer = desk.layer()
    assert (layer.manifest["tool"].mode, layer.manifest["sticky"].mode) == (0o6755, 0o3777)
    with CandidateMount(base, layer.manifest, desk.contents.__getitem__) as mounts:
        assert stat.S_IMODE((mounts.lowers[1] / "tool").lstat().st_mode) == 0o755
        assert stat.S_IMODE((mounts.lowers[1] / "sticky").lstat().st_mode) == 0o777


def test_links_out_of_the_workspace_are_never_followed(desk: Desk, tmp_path: Path) -> None:
    """A folder becomes a link to a folder of the host between two snapshots: snapshot and removal see a link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "treasure").write_text("untouched")
    outside.chmod(0o751)
    desk.sh("mkdir trap; echo x > trap/treasure")
    desk.layer()
    desk.sh(f"rm -r trap; ln -s '{outside}' trap; rm -r pkg; ln -s '{outside}' pkg; ln -s '{outside}/treasure' file")
    manifest = desk.layer().candidate.manifest
    assert {p: e.kind for p, e in manifest.items()} == {"trap": "symlink", "pkg": "symlink", "file": "symlink"}
    assert decode_name(manifest["pkg"].target or "") == str(outside)
    desk.workspace.close()
    assert (outside / "treasure").read_text() == "untouched"
    assert stat.S_IMODE(outside.stat().st_mode) == 0o751


def test_folders_deeper_than_any_path_neither_break_a_snapshot_nor_stay(desk: Desk) -> None:
    desk.sh(
        "for i in $(seq 11); do p=$(printf 'd/%.0s' $(seq 100)); mkdir -p $p; cd -P $p; done; echo x > bottom; "
        "cd /testbed; echo y > d/top"
    )
    manifest = desk.layer().manifest
    assert {"d", "d/d", "d/top"} <= set(manifest)
    assert len(manifest) < 200
    folder = desk.upper().parent
    desk.workspace.close()
    assert not folder.exists()


def test_a_same_size_edit_is_seen(desk: Desk) -> None:
    """Content of one length, with the time of before: the kernel's change time tells them apart."""
    desk.sh("printf one > new")
    keys = {desk.layer().verdict_key}
    for text in ("two", "six", "ten"):
        desk.sh(f"touch -r new /tmp/time; printf {text} > new; touch -r /tmp/time new")
        keys.add(desk.layer().verdict_key)
    assert len(keys) == 4


def test_only_changed_files_are_read_again(desk: Desk) -> None:
    read: list[bytes] = []
    desk.sh("echo 1 > one; echo 2 > two")
    desk.workspace.snapshot(read.append)
    assert sorted(read) == [b"1\n", b"2\n"]
    desk.sh("echo 3 > two")
    desk.workspace.snapshot(read.append)
    assert read[2:] == [b"3\n"]


def test_the_base_is_never_written(desk: Desk, base: Base) -> None:
    desk.sh("rm -rf pkg; echo x > unended; chmod 700 odd; rm link; mv binary elsewhere")
    desk.sh("ls")
    assert tree_digest(base.tree) == base.digest
