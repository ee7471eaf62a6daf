"""Which of a workspace's changes are production code: what a patch of a failed attempt is reduced to."""

from __future__ import annotations

import re

from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry, Manifest

_TEST = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")


def production_part(layer: Layer, base: Manifest) -> Layer:
    """The changes of Python source files below the base's packages, tests left out; other changes are gone.

    A package is a folder of the base with an ``__init__.py``. So scratch files beside the packages, patch files,
    configuration, links and folders are no part of it. A file that the layer deletes stays deleted.
    """
    packages = {path.removesuffix("/__init__.py") for path in base if path.endswith("/__init__.py")}
    kept: dict[str, Entry] = {}
    for path, entry in layer.manifest.items():
        if entry.kind in ("file", "whiteout") and _is_production(path, packages):
            kept[path] = entry
        elif entry.kind != "directory" and path in base and base[path].kind == "directory":
            # A folder that is gone took its files along.
            gone = (below for below, was in base.items() if below.startswith(f"{path}/") and was.kind == "file")
            kept |= {below: Entry("whiteout") for below in gone if _is_production(below, packages)}
    return Layer({path: kept[path] for path in sorted(kept)})


def _is_production(path: str, packages: set[str]) -> bool:
    inside = any(path[:end] in packages for end in (n for n, letter in enumerate(path) if letter == "/"))
    return inside and path.endswith(".py") and not _TEST.search(path)
