"""Whether a package's patches can be read, and apply to its base."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tasks.checking.finding import Finding
from tasks.package import TaskPackage

_PATH = re.compile(rb"^(?:--- a/|\+\+\+ b/|rename from |rename to |copy from )(.*?)\t?\r?$", re.MULTILINE)
_MEND = "renew it with `git diff --binary` in a tree of the release"


def patch_findings(package: TaskPackage, tree: Path) -> Iterator[Finding]:
    """Complaints about the reference, the mutations and the alternatives, on the base in ``tree``."""
    patches = {"reference.patch": package.reference}
    patches |= {f"mutations/{name}.patch": data for name, data in package.mutations.items()}
    patches |= {f"alternatives/{name}.patch": data for name, data in package.alternatives.items()}
    seen: dict[bytes, str] = {}
    for name, data in patches.items():
        if (said := _apply(data, tree)) is not None:
            reverse = name == "reference.patch" and _apply(data, tree, "-R") is None
            what = "the base has this repair already" if reverse else f"does not apply to the base: {said}"
            yield Finding("problem", name, "", what, "choose an older release" if reverse else _MEND)
        if data in seen:
            yield Finding("problem", name, "", f"is the same as {seen[data]}", "write another one, or remove it")
        seen.setdefault(data, name)


def _apply(patch: bytes, tree: Path, *options: str) -> str | None:
    """What git says against a patch; None when it would apply. Looks at copies of the files that it names."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch, "tree")
        place.mkdir()
        for name in {os.fsdecode(raw) for raw in _PATH.findall(patch)}:
            original = tree / name
            if ".." in Path(name).parts or original.is_symlink() or not original.is_file():
                continue
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(original, place / name)
        done = subprocess.run(
            ["git", "apply", "--check", "--whitespace=nowarn", *options, "-"], cwd=place, input=patch,
            env={"PATH": os.environ.get("PATH", ""), "GIT_CEILING_DIRECTORIES": scratch, "LC_ALL": "C"},
            capture_output=True,
        )  # fmt: skip
    if done.returncode == 0:
        return None
    return done.stderr.decode(errors="replace").strip().replace("\n", "; ")[:300]
