"""How the benchmark itself evaluates an instance: its record as the swebench package wants it (format 5)."""

from __future__ import annotations

import re
import shlex
from typing import Any

from harness.errors import InputError
from tasks.swebench.hidden import ended, patched_files
from tasks.swebench.instance import Instance
from tasks.swebench.package import swebench
from tasks.swebench.repositories import REPOSITORIES

_NEW_FILE = re.compile(r"^diff --git a/\S+ b/(\S+)\nnew file mode", re.MULTILINE)


def evaluation_record(instance: Instance, image: str) -> dict[str, Any]:
    """The record from which ``swebench.harness.utils.make_test_spec`` makes a test spec.

    What a record of format 4 lacks comes from the package (log parser, way of counting) and, as far as the repository
    is known here, from this project (script). PASS_TO_PASS that is not known is empty.

    Raises:
        InputError: a record of format 4, and nothing is known of its repository; or the package is not installed.
    """
    return {
        "instance_id": instance.instance_id, "image": image, "repo": instance.repo, "version": instance.version or "",
        "FAIL_TO_PASS": list(instance.FAIL_TO_PASS), "PASS_TO_PASS": list(instance.PASS_TO_PASS or ()),
        "log_parser": instance.log_parser or _log_parser(instance), "eval_type": instance.eval_type or _way(instance),
        "eval_script": instance.eval_script or _script(instance),
    }  # fmt: skip


def _log_parser(instance: Instance) -> str:
    parsers, by_repository = swebench("harness.log_parsers").PARSER_REGISTRY, swebench("harness.log_parsers.python")
    wanted = by_repository.MAP_REPO_TO_PARSER_PY.get(instance.repo)
    for name, parser in parsers.items():
        if parser is wanted:
            return str(name)
    raise _lacking(instance, "log_parser")


def _way(instance: Instance) -> str:
    constants = swebench("harness.constants")
    only = instance.repo in constants.FAIL_ONLY_REPOS
    return str((constants.EvalType.FAIL_ONLY if only else constants.EvalType.PASS_AND_FAIL).value)


def _script(instance: Instance) -> str:
    """The script, from the command for whole test files: resets them, patches them, runs them, resets them."""
    repository = REPOSITORIES.get(instance.repo)
    if repository is None:
        raise _lacking(instance, "eval_script")
    constants = swebench("harness.constants")
    names, new = patched_files(instance), set(_NEW_FILE.findall(instance.test_patch))
    patch = ended(instance.test_patch)
    word = swebench("utils").generate_heredoc_delimiter(patch)
    old = [name for name in names if name not in new]
    reset = [f"git checkout {instance.base_commit} {shlex.join(old)}"] if old else []
    reset += [f"rm -f {shlex.join(sorted(new))}"] if new else []
    tests = shlex.join(name for name in names if not name.endswith(tuple(constants.NON_TEST_EXTS)))
    lines = [
        "#!/bin/bash", "set -uxo pipefail", "source /opt/miniconda3/bin/activate", "conda activate testbed",
        "cd /testbed", "git config --global --add safe.directory /testbed", "git status",
        f"git -c core.fileMode=false diff {instance.base_commit}", *reset,
        f"git apply -v - <<'{word}'", f"{patch}{word}", f": '{constants.START_TEST_OUTPUT}'",
        f"{repository.command} {tests}", f": '{constants.END_TEST_OUTPUT}'", *reset,
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _lacking(instance: Instance, key: str) -> InputError:
    return InputError(
        f"is missing, and nothing is known here of the tests of {instance.repo}", file=instance.instance_id, key=key,
        mend="use a dataset of format 5 (image, eval_script, log_parser, eval_type)",
    )  # fmt: skip
