"""Bases: built once, the same everywhere, two copies of one tree."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from boxes import open_folder, sandbox_python
from desks import FILES, ODD_NAMES, Desk, tiny_base, unpack_tiny

from harness.sandbox import host
from harness.workspace.base import Base, build_base, built_digest, tree_digest
from harness.workspace.manifest import encode_name

#: Computed once; another value means that the same files give another digest on this machine or Python.
TINY_DIGEST = "8e8b54b37f05648450f78fecf69cd331bf211d899150b9a3aedc1a035add67a1"


def git(tree: Path, *arguments: str) -> str:
    owner = {"user": host.owner(), "group": host.owner()} if host.is_root() else {}
    place = host.visible(tree)
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", *arguments], cwd=place, capture_output=True, check=True,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_OPTIONAL_LOCKS": "0"}, **owner,  # type: ignore[call-overload]
    )  # fmt: skip
    return os.fsdecode(done.stdout)


def test_the_digest_is_that_of_the_files(base: Base) -> None:
    assert base.digest == TINY_DIGEST == tree_digest(base.tree)


def test_two_builds_give_one_digest(lair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In different caches, under different masks, at different times."""
    digests = set()
    for number, mask in enumerate((0o022, 0o077, 0o002)):
        monkeypatch.setenv("XDG_CACHE_HOME", str(open_folder(lair / f"cache{number}")))
        before = os.umask(mask)
        try:
            assert built_digest({"tiny": 1}) is None
            digests.add(tiny_base().digest)
            assert built_digest({"tiny": 1}) in digests
        finally:
            os.umask(before)
    assert digests == {TINY_DIGEST}


def test_a_base_is_unpacked_once(base: Base) -> None:
    def fail(target: Path) -> None:
        raise AssertionError(f"{target} was unpacked again")

    assert build_base({"tiny": 1}, fail, []) == base


def test_another_key_is_another_base(base: Base) -> None:
    other = tiny_base(more=2)
    assert other.tree != base.tree
    assert other.digest == base.digest  # the same tree


def test_an_interrupted_build_is_no_base(lair: Path) -> None:
    def break_off(target: Path) -> None:
        (target / "half").write_text("half")
        raise KeyboardInterrupt

    key: dict[str, object] = {"tiny": "interrupted"}
    with pytest.raises(KeyboardInterrupt):
        build_base(key, break_off, [])
    assert built_digest(key) is None
    assert build_base(key, unpack_tiny, []).digest == TINY_DIGEST


def test_threads_that_need_the_same_base_build_it_once(lair: Path) -> None:
    built: list[Path] = []

    def unpack(target: Path) -> None:
        built.append(target)
        unpack_tiny(target)

    found: list[Base] = []
    threads = [
        threading.Thread(target=lambda: found.append(build_base({"tiny": "threads"}, unpack, []))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert [b.digest for b in found] == [TINY_DIGEST] * 4


def test_only_the_evaluators_copy_is_compiled(base: Base) -> None:
    assert list(base.tree.rglob("__pycache__")) == []
    compiled = {p.relative_to(base.evaluator).parent.parent for p in base.evaluator.rglob("*.pyc")}
    assert compiled == {Path("pkg")}
    for cache in base.evaluator.rglob("*.pyc"):
        flags = int.from_bytes(cache.read_bytes()[4:8], "little")
        assert flags == 0b11, "checked by the hash of the source, not by its time"
        assert cache.lstat().st_uid == host.owner()
    assert not (base.evaluator / ".git").exists()


def test_another_python_compiles_beside_the_first(lair: Path) -> None:
    key: dict[str, object] = {"tiny": "compilers"}
    first = build_base(key, unpack_tiny, [])
    assert list(first.evaluator.rglob("*.pyc")) == []
    build_base(key, unpack_tiny, [sandbox_python().executable])
    found = [p.name for p in first.evaluator.rglob("core.*.pyc")]
    assert len(found) == 1
    if sandbox_python().full_version == sys.version.split()[0]:
        assert found == [Path(importlib.util.cache_from_source("core.py")).name]
    assert first.digest == tree_digest(first.evaluator)


def test_the_history_is_one_commit_with_the_whole_tree(base: Base) -> None:
    assert git(base.tree, "log", "--all", "--format=%an %s %ct").splitlines() == ["base base 946684800"]
    assert git(base.tree, "status", "--porcelain", "--ignored") == ""
    tracked = set(git(base.tree, "ls-files", "-z").split("\0")) - {""}
    assert tracked >= set(FILES) | {"link", "dangling", "absolute", "run.sh", "kept.log"}
    assert len([name for name in tracked if name.startswith("odd/")]) == len(ODD_NAMES)
    assert git(base.tree, "remote") == git(base.tree, "reflog") == ""


def test_the_manifest_knows_odd_names_links_and_modes(base: Base) -> None:
    for raw in ODD_NAMES:
        assert base.manifest[f"odd/{encode_name(os.fsdecode(raw))}"].size == len(raw)
    assert (base.manifest["run.sh"].mode, base.manifest["pkg/core.py"].mode) == (0o755, 0o644)
    assert base.manifest["absolute"].target == "/etc"
    assert ".git/HEAD" in base.manifest


def test_all_of_it_belongs_to_the_sandboxs_uid(base: Base) -> None:
    """overlayfs copies nothing up that it could not have made itself."""
    for copy in (base.tree, base.evaluator):
        assert {p.lstat().st_uid for p in (copy, *copy.rglob("*"))} == {host.owner()}


@pytest.mark.needs_bwrap
def test_the_agent_can_use_the_history(desk: Desk) -> None:
    assert desk.sh("git status --porcelain; git log --format=%s; git diff --stat").split() == ["base"]
    desk.sh("echo '# more' >> pkg/core.py; git commit -qam second")
    assert desk.sh("git log --format='%an %s'").splitlines() == ["agent second", "base base"]
    assert desk.sh("git show HEAD~1:pkg/core.py") == FILES["pkg/core.py"].decode()


@pytest.mark.skipif(not shutil.which("git"), reason="no git here")
def test_git_settings_of_the_user_do_not_reach_a_base(
    lair: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text(
        "[core]\n\tautocrlf = true\n\texcludesFile = ~/ignore\n[commit]\n\tgpgSign = true\n"
    )
    (tmp_path / "ignore").write_text("*\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    base = build_base({"tiny": "settings"}, unpack_tiny, [])
    assert base.digest == TINY_DIGEST
    assert "crlf.txt" in git(base.tree, "ls-files")
