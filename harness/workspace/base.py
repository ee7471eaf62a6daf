"""Bases: the read-only trees that attempts share, built once and kept in the cache.

A base has two copies of one tree: the agent's, as it was released, and the evaluator's, byte-compiled so that a hidden
test costs little more than an import. (Bytecode would change what ``find`` and ``grep -r`` show to the agent.)
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from harness.canonical import canonical_json, digest_json
from harness.errors import InfrastructureError
from harness.locks import locked
from harness.paths import cache_dir
from harness.sandbox import host
from harness.temporary import write_whole
from harness.workspace.files import remove_tree
from harness.workspace.manifest import BYTECODE, Entry, Manifest, from_data, manifest_digest, scan_tree, to_data

#: Raise when the way bases are built changes, so that old ones are not used.
RECIPE = 1

_GIT_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "base", "GIT_AUTHOR_EMAIL": "base@restartlab.invalid", "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "base", "GIT_COMMITTER_EMAIL": "base@restartlab.invalid",
    "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z", "LC_ALL": "C",
}  # fmt: skip
#: Stat data of a shared base differ per mount and user; git must compare size and mtime only.
_GIT_CONFIG = {
    "core.checkStat": "minimal", "core.trustctime": "false", "core.autocrlf": "false", "core.fileMode": "true",
    "gc.auto": "0", "core.logAllRefUpdates": "false",
}  # fmt: skip


@dataclass(frozen=True)
class Base:
    """One base on this machine."""

    digest: str
    """SHA-256 over paths, modes and contents, ``.git`` left out (its packing differs between git versions)."""
    tree: Path
    """The agent's copy; never written."""
    evaluator: Path
    """The same, byte-compiled, without ``.git``."""
    manifest: dict[str, Entry]
    """Of the agent's copy, ``.git`` included."""


def build_base(
    key: dict[str, object], unpack: Callable[[Path], None], compilers: list[Path], *, repository: bool = True
) -> Base:
    """The base for ``key``, built if it is not in the cache.

    Args:
        key: JSON data that determines the tree.
        unpack: fills an empty folder with the tree.
        compilers: Python binaries to byte-compile the evaluator's copy with.
        repository: whether the agent's copy is a git repository of one commit.
    """
    folder = _folder(key)
    with locked(cache_dir() / "locks" / f"base-{folder.name}"):
        if not _is_whole(folder):
            fresh, torn = (folder.with_name(f"{folder.name}.{what}") for what in ("new", "torn"))
            remove_tree(fresh)
            remove_tree(torn)
            (fresh / "tree").mkdir(parents=True)
            unpack(fresh / "tree")
            _finish(fresh, repository)
            if folder.exists():
                os.rename(folder, torn)
            os.rename(fresh, folder)
            remove_tree(torn)
        for compiler in compilers:
            _compile(folder, compiler)
    return _load(folder)


def built_digest(key: dict[str, object]) -> str | None:
    """Digest of the base for ``key`` if it is in the cache, else None."""
    folder = _folder(key)
    return _load(folder).digest if _is_whole(folder) else None


def _is_whole(folder: Path) -> bool:
    """Whether a base stands in ``folder``; one whose manifest a crash tore is built anew."""
    try:
        _load(folder)
    except (OSError, ValueError, TypeError, AttributeError):
        return False
    return True


def _folder(key: dict[str, object]) -> Path:
    # Owner in the name: overlayfs needs the base to belong to whoever mounts it.
    return cache_dir() / "bases" / f"{digest_json({'key': key, 'recipe': RECIPE})[:32]}-{host.owner()}"


def _finish(fresh: Path, repository: bool) -> None:
    tree, evaluator = fresh / "tree", fresh / "evaluator"
    subprocess.run(["cp", "-a", tree, evaluator], check=True)
    if repository:
        _commit(tree)
    manifest = scan_tree(str(tree))
    for copy in (tree, evaluator):
        for folder, names, files in os.walk(copy):
            for path in (folder, *(os.path.join(folder, n) for n in (*names, *files))):
                host.give(Path(path))
    os.sync()  # a manifest that outlives a power loss must not describe files that did not
    # Written last: a folder without it is not a base.
    write_whole(fresh / "manifest.json", canonical_json(to_data(manifest)), fresh)


def _commit(tree: Path) -> None:
    """One commit that holds the whole tree, and nothing before or after it."""

    def git(*arguments: str) -> None:
        done = subprocess.run(["git", *arguments], cwd=tree, env=_GIT_ENVIRONMENT, capture_output=True, text=True)
        if done.returncode:
            raise InfrastructureError(f"git {arguments[0]} failed while a base was built: {done.stderr.strip()}")

    git("init", "-q", "--template=", "--initial-branch=main", ".")
    for name, value in _GIT_CONFIG.items():
        git("config", name, value)
    (tree / ".git" / "info").mkdir(exist_ok=True)
    (tree / ".git" / "info" / "exclude").write_text("__pycache__/\n*.pyc\n")
    git("add", "--all", "--force")
    git("commit", "-q", "--no-verify", "--message=base")
    git("repack", "-adq")
    git("update-index", "-q", "--refresh")


def _compile(folder: Path, python: Path) -> None:
    """Byte-compiles the evaluator's copy; hash-checked, so a same-size edit in the same second is not missed.

    compileall reads and writes files only; nothing of the tree is executed here.
    """
    marker = folder / f"compiled-{digest_json(str(python))[:16]}"
    if marker.exists():
        return
    evaluator = folder / "evaluator"
    command = [str(python), "-I", "-m", "compileall", "-q", "-j", "2", "--invalidation-mode", "checked-hash"]
    subprocess.run(
        [*command, "-x", "/tests/", str(evaluator)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    for cache in evaluator.rglob(BYTECODE):
        for path in (cache, *cache.iterdir()):
            host.give(path)
    marker.touch()


def released_digest(manifest: Manifest) -> str:
    """Digest of a base's manifest without its ``.git``."""
    return manifest_digest({path: entry for path, entry in manifest.items() if path.split("/")[0] != ".git"})


def tree_digest(tree: Path) -> str:
    """The base digest of ``tree`` as it is on disk now."""
    return released_digest(scan_tree(str(tree), skip=(BYTECODE, ".git")))


@lru_cache(maxsize=8)
def _load(folder: Path) -> Base:
    manifest = from_data(json.loads((folder / "manifest.json").read_bytes()))
    return Base(released_digest(manifest), folder / "tree", folder / "evaluator", manifest)
