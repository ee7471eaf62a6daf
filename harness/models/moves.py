"""The scripted agent's moves as real bash commands in the workspace (working directory: the repository's root)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath
from random import Random

from harness.models.patches import Patch, heredoc, task_patches
from harness.models.plan import Kind, State, after, pick
from harness.models.replies import SUBMISSION, Reply, acting
from tasks.interface import RepairTask

SCRATCH_FILES = ("reproduce_issue.py", "check_issue.py")
#: Chance that a reading call makes two independent reads.
SECOND_READ = 0.2


class Moves:
    """Turns move kinds into replies, and keeps track of what its own commands did to the workspace.

    It parses no output and asks no verdict. The state machine is ``plan.after``; besides the state it remembers
    which patch is in place. Every edit first restores all files that any of its moves may have touched, so that
    patches always apply and a completing move always ends in exactly its valid repair.
    """

    def __init__(self, task: RepairTask):
        self.patches = task_patches(task)
        self.explore = task.explore
        self.state: State = "clean"
        self.repair: Patch | None = None
        self.reading: str | None = None
        """What it reads again and again when it is stuck."""
        reference = self.patches.valid[0]
        # Damage to a file that the repair changes cannot make a failing workspace pass.
        self.targets = [f for f in reference.changed if f.endswith(".py")] or [self.explore.files[0]]
        # Named files only: `git checkout -- .` may rewrite every file of a tree that is mounted under another owner.
        restored = sorted({*self.patches.changed, *self.targets})
        self.restoring = f"git checkout -q -- {quoted(restored)}"
        if self.patches.created:
            self.restoring = f"rm -f -- {quoted(self.patches.created)} && {self.restoring}"

    def reply(self, kind: Kind, rng: Random) -> Reply:
        """The reply that makes a move of ``kind``; updates the state as if its commands succeed."""
        reply = self._make(kind, rng)
        self.state = after(self.state, kind)
        return reply

    def _make(self, kind: Kind, rng: Random) -> Reply:
        match kind:
            case "malformed":
                return malformed(rng)
            case "complete":
                return self._edit(pick(rng, self.patches.valid), "I now see what has to change.")
            case "wrong" if self.patches.wrong:
                others = [patch for patch in self.patches.wrong if patch is not self.repair] or self.patches.wrong
                return self._edit(pick(rng, others), "This change could already be enough.")
            case "revert" if self.repair and rng.random() < 0.5:
                return acting("That change was not right. I take it back.", self.repair.unapply)
            case "revert" | "restore":
                return acting("I go back to the original files.", self.restoring)
            case "destroy":
                return self._destroy(rng)
            case "submit":
                tail = pick(rng, ("", " && git diff"))
                return acting("I think this is finished, so I submit.", SUBMISSION + tail)
            case "run":
                return acting("I check how the code behaves.", self._run(rng))
            case "scratch":
                name = pick(rng, SCRATCH_FILES)
                script = heredoc(f"cat > {name}", pick(rng, self.explore.snippets))
                return acting("I write a small script and run it.", f"{script}\npython3 {name}")
            case "repeat":
                self.reading = self.reading or self._read(rng)
                return acting("Let me look at this once more.", self.reading)
            case "explore" | "wrong":  # a task without a wrong repair has nothing else to offer
                reads = [self._read(rng)]
                if rng.random() < SECOND_READ:
                    reads.append(self._read(rng))
                return acting("I look around before I change anything.", *reads)

    def _edit(self, patch: Patch, thought: str) -> Reply:
        self.repair = patch
        return acting(f"{thought} I edit {', '.join(patch.changed + patch.created)}.",
                      f"{self.restoring} && {patch.apply}")

    def _destroy(self, rng: Random) -> Reply:
        file = shlex.quote(pick(rng, self.targets))
        ways = [f"rm -f {file}", f": > {file}"]
        if self.state != "broken":  # a file that is already gone or empty has no line to put anything before
            ways.append(f"sed -i '1i def unfinished(:' {file}")
        return acting("I start this file over.", pick(rng, ways))

    def _run(self, rng: Random) -> str:
        snippet = pick(rng, self.explore.snippets)
        return pick(rng, (
            heredoc("python3 -", snippet),
            f"python3 -c {shlex.quote(snippet)}",
            f"python3 -m py_compile {quoted(self.explore.files)}",
        ))

    def _read(self, rng: Random) -> str:
        file = pick(rng, self.explore.files)
        folder = PurePosixPath(file).parent.as_posix()
        name, pattern = shlex.quote(file), shlex.quote(pick(rng, self.explore.patterns))
        near = [line for patch in self.patches.valid for changed, line in patch.hunks if changed == file]
        start = max(1, pick(rng, near) - 30 + int(rng.random() * 20)) if near else 1 + 40 * int(rng.random() * 5)
        return pick(rng, (
            f"sed -n '{start},{start + 60}p' {name}",
            f"sed -n '1,80p' {name}",
            f"grep -n -e {pattern} {name}",
            f"grep -rn --include='*.py' -e {pattern} {shlex.quote(folder)} | head -n 40",
            f"grep -n -A 12 -e {pattern} {name} | head -n 60",
            pick(rng, ("git log --oneline | head -n 5", "git status --short | head -n 20", "git diff")),
            f"ls {shlex.quote(folder)}",
            f"find {shlex.quote(folder)} -name '*.py' | sort | head -n 40",
            f"wc -l {quoted(self.explore.files)}",
        ))


def malformed(rng: Random) -> Reply:
    """A reply that mini-swe-agent's parser refuses, in one of the ways that real models find."""
    return pick(rng, (
        Reply("THOUGHT: The cause is clear to me now. Let me summarise it first.", finish_reason="stop"),
        Reply("THOUGHT: Let me think this through step by step. First", finish_reason="length"),
        Reply("THOUGHT: I search for it.", (("bash", '{"command": "grep -rn \\"def '),)),
        Reply("THOUGHT: I open the file.", (("str_replace_editor", '{"command": "view", "path": "."}'),)),
        Reply("THOUGHT: I list the files.", (("bash", '{"cmd": "ls"}'),)),
    ))


def quoted(files: Sequence[str]) -> str:
    """File names as words of a command."""
    return " ".join(shlex.quote(file) for file in files)
