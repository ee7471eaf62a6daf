"""The skeleton of a task package, with a remark at everything that a person has to write."""

from __future__ import annotations

import re
from pathlib import Path

from harness.errors import InputError

#: Kinds of tasks that come as packages.
KINDS = ("hidden-tests",)

_TASK = """\
# A task package; docs/tasks.md explains every key. `restartlab task check DIR` says what remains to be filled in.
schema: 1
id: {id}                       # as the two folders say
title: FILL IN one line for people; the agent does not see it
family: {family}               # subsystem, for tables
difficulty: FILL IN a label, such as <15 min fix
source:                        # the base: a released source distribution, its SHA-256 in sources.yaml
  package: FILL IN
  release: "FILL IN"
  pull_request: 0              # public number of the change that repaired the bug
pythons: ["3.11", "3.12", "3.13"]
obligations:                   # what a right repair does, by name; verdicts and mutations speak in them
  reported-case: FILL IN the reported case works.
  nothing-else: FILL IN what worked before works as it did.
tests:                         # functions of hidden/test_hidden.py; failing: fails at the base; guard: passes there
  - {{name: test_reported_case, kind: failing, obligation: reported-case}}
  - {{name: test_nothing_else_changed, kind: guard, obligation: nothing-else}}
mutations:                     # plausible wrong repairs; each violates one obligation and must be rejected
  - name: too-narrow
    obligation: reported-case
    visible_tests_pass: true   # whether the repository's own tests accept it
    summary: FILL IN what is wrong with it.
alternatives:                  # right repairs unlike the reference; each must pass
  - name: other-way
    summary: FILL IN how it differs.
visible_tests: ["FILL IN the repository's own tests of the module"]
explore:                       # what the scripted agent reads and runs
  files: ["FILL IN"]
  patterns: ["FILL IN"]
  snippets: ["FILL IN"]
"""
_ISSUE = """\
FILL IN what a user would report: what was done, what came out, what was expected. Nothing of the repair or the tests.
"""
_HIDDEN = '''\
"""Hidden tests: plain functions that import inside. They should hold for every right repair."""


def test_reported_case():
    assert False, "FILL IN"


def test_nothing_else_changed():
    assert True, "FILL IN"
'''
_PATCH = """\
FILL IN: {what}, as `git diff --binary` writes it, in place of all of this.
diff --git a/package/module.py b/package/module.py
--- a/package/module.py
+++ b/package/module.py
@@ -1 +1 @@
-as it is
+{line}
"""
_FILES = {
    "task.yaml": _TASK,
    "issue.md": _ISSUE,
    "hidden/test_hidden.py": _HIDDEN,
    "reference.patch": _PATCH.format(what="a right repair", line="as it should be"),
    "mutations/too-narrow.patch": _PATCH.format(what="a plausible wrong repair", line="as it should not be"),
    "alternatives/other-way.patch": _PATCH.format(what="another right repair", line="as it could be"),
}


def write_skeleton(root: Path, kind: str = "hidden-tests") -> list[Path]:
    """Writes a package's files into ``root``, FAMILY/NUMBER; returns them.

    Raises:
        InputError: the kind has no packages, the folders do not make an id, or the folder holds something.
    """
    root = root.absolute()
    if kind not in KINDS:
        mend = f"kinds: {', '.join(KINDS)}; other tasks come from packages (docs/extending.md)"
        raise InputError(f"there are no task packages of kind {kind!r}", file="--kind", mend=mend)
    family, number = root.parent.name, root.name
    if not re.fullmatch(r"[a-z0-9]+", family) or not re.fullmatch(r"[a-z0-9-]+", number):
        mend = "name the folder FAMILY/NUMBER: lower-case letters and digits, such as tasks/sympy/12345"
        raise InputError(f"{family}-{number} is no task id", file=root, mend=mend)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise InputError("is not an empty folder", file=root, mend="name a new one")
    written = []
    for name, text in _FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(id=f"{family}-{number}", family=family) if name == "task.yaml" else text)
        written.append(path)
    return written
