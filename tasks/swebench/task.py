"""A SWE-bench instance as a task."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.canonical import digest_bytes, digest_json
from tasks.swebench.instance import Instance
from tasks.swebench.repositories import REPOSITORIES

#: Limit of one named test, seconds; and of all PASS_TO_PASS tests of a verification together.
TEST_SECONDS = 120.0
GUARD_SECONDS = 1800.0

_FIRST_HUNK = re.compile(r"^--- a/(\S+\.py)\n\+\+\+ .*\n@@ -(\d+).*@@.*\n((?:[ +\-].*\n|\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Explore:
    """Material for the scripted agent, derived from the reference repair."""

    files: tuple[str, ...]
    patterns: tuple[str, ...]
    snippets: tuple[str, ...]


class SwebenchTask:
    """An instance (a ``RepairTask``).

    Args:
        place: dataset that it stands in, for messages; not part of any digest.
    """

    kind = "swebench"

    def __init__(self, instance: Instance, place: str = "dataset"):
        self.instance = instance
        self.id = instance.task_id
        self.family = instance.repo
        self.issue = instance.problem_statement
        self.reference = instance.patch.encode()
        self.root = Path(place) / instance.instance_id
        self.alternatives: dict[str, bytes] = {}  # a dataset knows one repair only

    @cached_property
    def mutations(self) -> dict[str, bytes]:
        """What the scripted agent does where it goes wrong: a comment at the place of the repair.

        It repairs nothing. Part of the repair would not do: it can be enough for the tests.
        """
        found = _FIRST_HUNK.search(self.instance.patch)
        if not found:
            return {}
        file, start, body = found.groups()
        old = [f" {line[1:]}\n" for line in body.split("\n")[:-1] if not line.startswith("+")][:3]
        if len(old) < 2:  # git wants a line of the file on either side
            return {}
        first, *others = old
        head = f"diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n"
        hunk = f"@@ -{start},{len(old)} +{start},{len(old) + 1} @@\n{first}+# to be repaired\n{''.join(others)}"
        return {"note": (head + hunk).encode()}

    @cached_property
    def explore(self) -> Explore:
        patch = self.instance.patch
        files = tuple(dict.fromkeys(re.findall(r"^--- a/(\S+)$", patch, re.MULTILINE))) or ("README.rst",)
        near = re.findall(r"^[ @\-].*?\b(?:def|class) (\w+)", patch, re.MULTILINE)
        module = REPOSITORIES[self.instance.repo].module if self.instance.repo in REPOSITORIES else "sys"
        return Explore(files, tuple(dict.fromkeys(near)) or ("def ",), (f"import {module}; print({module}.__name__)",))

    @cached_property
    def parts(self) -> dict[str, str]:
        """Digests of the parts that identify the task, by name."""
        instance, repository = self.instance, REPOSITORIES.get(self.instance.repo)
        tools = None
        if repository:
            tools = {
                "pythons": list(repository.pythons(instance.version)),
                "site": digest_bytes(repository.site.read_bytes()),
                "module": repository.module, "before": repository.before,
            }  # fmt: skip
        guards = None if instance.PASS_TO_PASS is None else list(instance.PASS_TO_PASS)
        return {
            "base": digest_json({"repo": instance.repo, "commit": instance.base_commit}),
            "issue": digest_bytes(instance.problem_statement.encode()),
            "hidden": digest_json({
                "test_patch": digest_bytes(instance.test_patch.encode()),
                "FAIL_TO_PASS": list(instance.FAIL_TO_PASS), "PASS_TO_PASS": guards,
            }),
            "limits": digest_json({
                "tools": tools, "test_seconds": TEST_SECONDS, "guard_seconds": GUARD_SECONDS, **self._script,
            }),
            "repairs": digest_json({"reference": digest_bytes(self.reference)}),
        }  # fmt: skip

    @property
    def _script(self) -> dict[str, Any]:
        """What judges in the place of named functions where the repository is not known: the benchmark's script."""
        instance = self.instance
        if instance.repo in REPOSITORIES or instance.eval_script is None:
            return {}
        keys = {"log_parser": instance.log_parser, "eval_type": instance.eval_type}
        return {"script": {"eval_script": digest_bytes(instance.eval_script.encode()), **keys}}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all parts."""
        return digest_json(self.parts)

    @cached_property
    def verdict_digest(self) -> str:
        """SHA-256 over the parts that a verdict depends on: base, hidden tests, limits."""
        return digest_json({name: self.parts[name] for name in ("base", "hidden", "limits")})
