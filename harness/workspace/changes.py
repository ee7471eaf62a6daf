"""What a layer changes in terms of git, which knows less than a layer: files, links, and one bit of their mode."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry, Manifest


@dataclass
class Changes:
    """Files and links that a layer replaces (``old``) and holds (``new``), by path, encoded as in manifests."""

    old: dict[str, Entry] = field(default_factory=dict)
    new: dict[str, Entry] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Changes that git cannot hold, by path: what they are."""


def git_mode(entry: Entry) -> str:
    """Mode of a file or link as git writes it."""
    return "120000" if entry.kind == "symlink" else "100755" if entry.mode & 0o100 else "100644"


def changes_of(layer: Layer, base: Manifest) -> Changes:
    """The changes of ``layer`` against ``base``. Its own ``.git`` is no part of a workspace's content: never named."""
    changes = Changes()
    before = {path: entry for path, entry in base.items() if path.split("/")[0] != ".git"}
    after = _laid_over(layer, before)
    for path, entry in layer.manifest.items():
        if path.split("/")[0] != ".git":
            _classify(path, entry, before.get(path), changes)
    for path, entry in before.items():
        if _is_content(entry) and _refused(path, entry) is None and after.get(path) != entry:
            changes.old[path] = entry
    filled = _filled(changes.new, before, after)
    for path in _unseen_folders(before, after, filled):
        changes.left_out[path] = "an empty folder"
    return changes


def _classify(path: str, entry: Entry, below: Entry | None, changes: Changes) -> None:
    """Sorts an entry of the layer that stands for something."""
    if entry.kind == "whiteout":
        return
    if refused := _refused(path, entry):
        changes.left_out[refused[0]] = refused[1]
        return
    if _is_content(entry):
        changes.new[path] = entry
    elif entry.kind != "directory":
        changes.left_out[path] = f"a special file ({entry.kind})"
    if entry.kind in ("file", "directory") and not _gives_mode(entry, below):
        changes.left_out[path] = f"mode {entry.mode:04o}"


def _gives_mode(entry: Entry, below: Entry | None) -> bool:
    """Whether who applies a patch gets the mode: git knows 644 and 755, and of folders nothing."""
    if entry.kind == "directory":
        return entry.mode == (below.mode if below and below.kind == "directory" else 0o755)
    same = below is not None and below.kind == "file" and git_mode(below) == git_mode(entry)
    given = 0o755 if entry.mode & 0o100 else 0o644
    return entry.mode == given and not (same and below is not None and below.mode != given)


def _is_content(entry: Entry) -> bool:
    return entry.kind in ("file", "symlink")


def _refused(path: str, entry: Entry) -> tuple[str, str] | None:
    """What git takes under no such name: the topmost path that it refuses, and what that is. None when it takes it."""
    names = path.split("/")
    lower = [name.lower() for name in names]
    if ".git" in lower:
        return "/".join(names[: lower.index(".git") + 1]), "a git repository's own files"
    if entry.kind == "symlink" and lower[-1] == ".gitmodules":
        return path, "a link that git refuses"
    return None


def _laid_over(layer: Layer, before: Manifest) -> dict[str, Entry]:
    """The tree as the layer shows it."""
    manifest = layer.manifest
    hiding = {path for path, entry in manifest.items() if entry.kind != "directory"}
    after = {
        path: entry
        for path, entry in before.items()
        if path not in manifest and not any(parent in hiding for parent in _parents(path))
    }
    shown = {path: e for path, e in manifest.items() if e.kind != "whiteout" and path.split("/")[0] != ".git"}
    return after | shown


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _filled(new: Manifest, before: Manifest, after: Manifest) -> set[str]:
    """Folders below which git sees something after the change."""
    kept = [path for path, entry in after.items() if path in new or (before.get(path) == entry and _is_content(entry))]
    return {parent for path in kept for parent in _parents(path)}


def _unseen_folders(before: Manifest, after: Manifest, filled: set[str]) -> Iterator[str]:
    """Empty folders that came or went. Whoever applies a patch removes a folder with the last file in it."""
    had = {parent for path, entry in before.items() if _is_content(entry) for parent in _parents(path)}

    def empty(tree: Manifest, path: str, full: set[str]) -> bool:
        return path in tree and tree[path].kind == "directory" and path not in full

    for path in sorted(before.keys() | after.keys()):
        if ".git" not in path.lower().split("/") and empty(before, path, had) != empty(after, path, filled):
            yield path
