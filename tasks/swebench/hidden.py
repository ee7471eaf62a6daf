"""The hidden tests of an instance: the files of its test patch as patched, and the functions that its names mean."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.errors import InputError
from tasks.swebench.instance import Instance

_HEADER = re.compile(r'^diff --git ("?)a/(.+?)\1 ("?)b/(.+?)\3$', re.MULTILINE)


@dataclass(frozen=True)
class NamedTest:
    """One test function of one file."""

    file: str
    """Path in the repository."""
    function: str

    @property
    def id(self) -> str:
        return f"{self.file}::{self.function}"


@dataclass(frozen=True)
class HiddenFiles:
    """What the test patch of an instance makes of the base, and the tests in it."""

    instance: Instance
    files: Mapping[str, bytes | None]
    """Content by path; None: the test patch deletes it."""

    @cached_property
    def _functions(self) -> dict[str, list[NamedTest]]:
        """Tests of the files by bare name, and by ``file::name``."""
        found: dict[str, list[NamedTest]] = {}
        for file, content in self.files.items():
            if not file.endswith(".py") or content is None:
                continue
            for node in ast.parse(content, file).body:
                if isinstance(node, ast.FunctionDef):
                    test = NamedTest(file, node.name)
                    for name in (node.name, test.id):
                        if test not in found.setdefault(name, []):
                            found[name].append(test)
        return found

    @property
    def finds_all(self) -> bool:
        """Whether each name of FAIL_TO_PASS means a function."""
        return all(name in self._functions for name in self.instance.FAIL_TO_PASS)

    @cached_property
    def failing(self) -> dict[str, list[NamedTest]]:
        """FAIL_TO_PASS: the functions that each name means; raises ``InputError`` for a name that means none."""
        for name in self.instance.FAIL_TO_PASS:
            if name not in self._functions:
                raise InputError(
                    f"{name!r} is no function of the test patch's files ({', '.join(self.files)})",
                    file=self.instance.instance_id, key="FAIL_TO_PASS",
                    mend="run it in its own image (sandbox.kind: docker), by the benchmark's own command",
                )  # fmt: skip
        return {name: self._functions[name] for name in self.instance.FAIL_TO_PASS}

    @cached_property
    def guards(self) -> dict[str, list[NamedTest]]:
        """PASS_TO_PASS: the functions that each name means; names of other files than the test patch's are left out."""
        names = self.instance.PASS_TO_PASS or ()
        return {name: self._functions[name] for name in names if name in self._functions}


def hidden_files(instance: Instance, tree: Path) -> HiddenFiles:
    """Applies the test patch to copies of the base's files in ``tree``; raises ``InputError`` if it does not apply."""
    names = patched_files(instance)
    with tempfile.TemporaryDirectory(prefix="restartlab-tests-") as temporary:
        folder = Path(temporary)
        for name in names:
            source, copy = tree / name, folder / name
            if ".." not in Path(name).parts and source.is_file() and not source.is_symlink():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
        environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/nonexistent", "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": "/nonexistent",  # or a repository around the folder would take part
        }  # fmt: skip
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"], cwd=folder, env=environment,
            input=ended(instance.test_patch).encode(), capture_output=True,
        )  # fmt: skip
        if done.returncode:
            raise InputError(
                f"does not apply to the base: {done.stderr.decode(errors='replace').strip()[-300:]}",
                file=instance.instance_id, key="test_patch", mend="correct the record",
            )  # fmt: skip
        return HiddenFiles(
            instance, {name: (folder / name).read_bytes() if (folder / name).is_file() else None for name in names}
        )


def patched_files(instance: Instance) -> list[str]:
    """Paths that the test patch changes, makes or deletes."""
    return sorted({name for match in _HEADER.finditer(instance.test_patch) for name in (match[2], match[4])})


def ended(patch: str) -> str:
    """``patch`` with a line end at its end, as git wants it."""
    return patch if patch.endswith("\n") else f"{patch}\n"
