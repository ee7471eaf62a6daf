"""Minimal change (M): what a layer changes beside what its contract allows."""

from __future__ import annotations

from harness.workspace.layer import Layer
from harness.workspace.manifest import Manifest, decode_name
from tasks.recovery.contract import Scope
from verifiers.recovery.globs import matches


def extra_changes(layer: Layer, scope: Scope, base: Manifest) -> tuple[list[str], list[str]]:
    """Changed paths that are neither allowed nor volatile: (of the system's behaviour, benign)."""
    changed = sorted(decode_name(path) for path in layer.manifest)
    # A folder that only came to be because something in it was allowed is no change of its own.
    extra = [
        path for path in changed
        if not matches(path, [*scope.allow, *scope.volatile]) and not _holds_allowed(path, changed, scope, base)
    ]  # fmt: skip
    return [p for p in extra if matches(p, scope.behaviour)], [p for p in extra if not matches(p, scope.behaviour)]


def _holds_allowed(path: str, changed: list[str], scope: Scope, base: Manifest) -> bool:
    below = [other for other in changed if other.startswith(f"{path}/")]
    return path not in base and any(matches(other, [*scope.allow, *scope.volatile]) for other in below)


def minimality(layer: Layer, scope: Scope, base: Manifest) -> float:
    """M: 1 within what is allowed, 0.5 with benign extra files, 0 where other behaviour changed."""
    behaviour, benign = extra_changes(layer, scope, base)
    return 0.0 if behaviour else 0.5 if benign else 1.0


def changed_between(before: Manifest, after: Manifest) -> list[str]:
    """Paths whose entry differs between two layers of one base."""
    paths = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    return sorted(decode_name(path) for path in paths)
