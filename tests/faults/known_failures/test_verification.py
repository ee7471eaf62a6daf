"""What re-executed trajectories taught of verification: prints, broken imports, deletions, times, seeds."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from chat_server import SUBMIT, bash
from recorded import blob, layer_after
from tiny_lab import TinyLab
from trying import BROKEN, RIGHT, WRONG, Trier

from harness.recorder import decode_output
from harness.store.records import TryResult
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry
from tasks.package import TaskPackage
from tasks.registry import load_task
from verifiers.hidden import HiddenTestVerifier
from verifiers.kinds import prepare_place
from verifiers.verdict import Verdict

pytestmark = pytest.mark.needs_bwrap


def core(text: str) -> str:
    """A command that makes this the package's module."""
    return f"cat > tinypkg/core.py <<'END_OF_MODULE'\n{text}\nEND_OF_MODULE"


def judged(module: str, verifier: HiddenTestVerifier | None = None) -> Verdict:
    """The verdict, from no cache, on a workspace in which this is the package's module."""
    data = module.encode()
    digest = hashlib.sha256(data).hexdigest()
    layer = Layer({"tinypkg/core.py": Entry("file", 0o644, digest, len(data))})
    return (verifier or prepare_place(load_task("tiny-1")).verifier).verify(layer, {digest: data}.__getitem__)


GOOD = "def double(n):\n    {0}\n    return 2 * n\n\n\ndef half(n):\n    return n / 2\n"
PRINTS = {
    "text": "print('test_doubles <debug text>')",
    "stderr": "import sys; print('DEBUG', n, file=sys.stderr)",
    "like a result": "print('test_doubles ok'); print('1 failed, 0 passed'); print('FAILED', flush=True)",
    "descriptors": "import os; [os.write(fd, b'ok\\n') for fd in (1, 2)]",
    "bytes": "import sys; sys.stdout.buffer.write(bytes(range(256)))",
    "flood": "print('x' * 2_000_000)",
    "closed": "import sys; sys.stdout.close(); sys.stderr.close()",
}


@pytest.mark.parametrize("statement", PRINTS.values(), ids=PRINTS)
def test_s01_debug_prints_move_no_verdict(in_lab: TinyLab, statement: str) -> None:
    good = GOOD.format(statement)
    assert judged(good).state == "pass"
    assert judged(f"print('at import')\n{good}").state == "pass"
    wrong = judged(good.replace("2 * n", "3 * n"))
    assert wrong.state == "fail"
    assert wrong.tests["test_half"] == "pass"


def test_s01_a_print_costs_no_call(attempt: Trier) -> None:
    tried = attempt(bash(core(GOOD.format("print('DEBUG', n)"))), bash(RIGHT))
    assert tried.end == ("verified", 1, None)


@pytest.mark.parametrize("program", ["false", "true", "echo", "cat"])
def test_s02_a_test_runner_that_does_not_start_is_no_failure(in_lab: TinyLab, program: str) -> None:
    """Whatever stands in the interpreter's place says, and with whichever exit code."""
    place = prepare_place(load_task("tiny-1"))
    assert isinstance(place.task, TaskPackage)
    assert place.tools.python
    python = replace(place.tools.python, executable=Path("/usr/bin", program))
    tools = replace(place.tools, python=python)
    verifier = HiddenTestVerifier(place.task, place.base, tools, "bubblewrap")
    for module in (GOOD.format("pass"), GOOD.format("pass").replace("2 * n", "0")):
        verdict = judged(module, verifier)
        assert (verdict.state, verdict.passed) == ("infra_error", False)
        assert set(verdict.tests.values()) == {"no result"}
        assert set(verdict.obligations.values()) == {None}


@pytest.mark.parametrize("ending", ["os._exit(0)", "os._exit(1)", "os.kill(os.getpid(), 9)", "os.abort()"])
def test_s02_a_candidate_that_ends_the_run_explains_it(in_lab: TinyLab, ending: str) -> None:
    """No result, and not the host's fault: the attempt goes on."""
    assert judged(f"import os\n{ending}").state == "no_result"
    assert judged(GOOD.format(f"import os; {ending}")).state in ("fail", "no_result")


def test_s02_an_attempt_whose_verifier_fails_is_lost_and_nothing_of_it_is_kept(
    attempt: Trier, in_lab: TinyLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "fragile"
    shutil.copytree(os.environ["XDG_CACHE_HOME"], cache, symlinks=True, ignore=lambda *_: ["bases", "locks"])
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    shutil.rmtree(prepare_place(load_task("tiny-1")).base.evaluator)
    tried = attempt(bash(RIGHT), bash("ls"))
    assert tried.lost == ("verifier_failure", 1)
    assert tried.verdicts == [(1, 0, "infra_error")]
    assert not list((in_lab.state / "verdicts").rglob("*.json"))


IMPORTS = {
    "syntax": "def double(n:\n", "indentation": "def double(n):\nreturn 2 * n\n", "assertion": "assert False, 'no'",
    "name": "double = undefined", "import": "import no_such_module", "missing": "x = 1", "exit": "raise SystemExit(0)",
    "bytes": "x = '\0'", "interrupt": "raise KeyboardInterrupt",
    "its own error": "class E(Exception):\n    def __str__(self):\n        raise E\nraise E",
    "base class": "class E(BaseException):\n    pass\nraise E", "recursion": "def f(): f()\nf()",
}  # fmt: skip


@pytest.mark.parametrize("module", IMPORTS.values(), ids=IMPORTS)
def test_s03_a_tree_that_cannot_be_imported_is_told_from_a_failure(in_lab: TinyLab, module: str) -> None:
    verdict = judged(module)
    assert (verdict.state, verdict.passed) == ("broken_import", False)
    assert verdict.detail
    assert set(verdict.tests.values()) == {"no result"}


def test_s03_a_broken_import_is_an_outcome_and_the_attempt_goes_on(attempt: Trier) -> None:
    tried = attempt(bash(BROKEN), bash(BROKEN), bash("rm tinypkg/core.py"), bash(RIGHT))
    assert tried.verdicts[:3] == [(1, 0, "broken_import"), (2, 0, "broken_import"), (3, 0, "broken_import")]
    assert tried.of("verdict")[1]["cached"]


def test_s05_an_action_that_failed_is_looked_at_all_the_same(attempt: Trier) -> None:
    """The clean-up removes a file of the repository, and its return code is 1."""
    mend = "sed -i 's/n + 2/2 * n/' tinypkg/core.py"
    tried = attempt(bash("rm scratch.py README setup.py"), bash(mend))
    assert tried.of("action")[0]["returncode"] == 1
    assert layer_after(tried, 0).manifest["README"].kind == "whiteout"
    assert isinstance(tried.result, TryResult)
    assert tried.end == ("verified", 2, None)
    assert {"kind": "tracked_file_deleted", "path": "README"} in tried.result.findings
    failing = attempt(bash(f"{RIGHT}\nfalse"))
    assert failing.of("action")[0]["returncode"] == 1
    assert failing.end == ("verified", 1, None)
    late = attempt(bash(f"{RIGHT}\nsleep 60"), limits={"command_seconds": 1.0})
    assert late.of("action")[0]["limit"] == "seconds"
    assert late.end == ("verified", 1, None)


def test_s09_times_that_go_back_hide_nothing(attempt: Trier) -> None:
    same_size = "sed -i 's/n + 2/n * 2/' tinypkg/core.py && touch -r old tinypkg/core.py && stat -c %Y tinypkg/core.py"
    tried = attempt(
        bash("cp -p tinypkg/core.py old; cp -p tinypkg/core.py tinypkg/core.py.bak; python3 -c 'import tinypkg'"),
        bash(same_size),
        bash("mv tinypkg/core.py.bak tinypkg/core.py; stat -c %Y tinypkg/core.py"),
        bash(f"{same_size}; touch -d 1999-01-01 tinypkg/core.py"),
        bash("touch -d 2099-01-01 tinypkg/core.py; cp -p old tinypkg/core.py"),
        after_pass="continue", horizon=5,
    )  # fmt: skip
    assert [state for *_, state in tried.verdicts] == ["fail", "pass", "fail", "pass", "fail"]
    times = {decode_output(line) for line in tried.of("action")[1:4]}
    assert len(times) == 1
    # A backup is another tree and no other behaviour; the time of a file is not part of the state.
    assert layer_after(tried, 0).digest != layer_after(tried, 2).digest == layer_after(tried, 4).digest


def test_s09_bytecode_of_an_older_file_is_never_run(attempt: Trier) -> None:
    """The agent's own bytecode claims to belong to a file of this size and time."""
    stale = f"{RIGHT}\npython3 -m compileall -q tinypkg; git checkout -q -- .; touch -d @1 tinypkg/core.py"
    forged = "python3 -m compileall -q --invalidation-mode unchecked-hash tinypkg"
    tried = attempt(
        bash("touch -d @1 tinypkg/core.py"), bash(f"{stale}; python3 -c 'import tinypkg'"),
        bash(f"{RIGHT}\n{forged}\n{WRONG}"), horizon=3,
    )  # fmt: skip
    assert [state for *_, state in tried.verdicts] == ["fail"] * 3
    assert not any("__pycache__" in path for path in layer_after(tried).manifest)


def test_s11_the_agent_finds_the_released_tree_and_no_bytecode(attempt: Trier) -> None:
    tried = attempt(
        bash(
            "find . -path ./.git -prune -o -print | LC_ALL=C sort", "ls -RA --ignore=.git",
            "grep -rl python . --exclude-dir=.git", "cat README tinypkg/*.py | sha256sum",
            "find / -xdev -name '*.pyc' -path '*tinypkg*' 2>/dev/null",
        ),
        bash("echo 'odd = 1 is 1' >> tinypkg/core.py; python3 -c 'import tinypkg'"),
        bash("python3 -c 'import tinypkg'"),
        bash(RIGHT),
    )  # fmt: skip
    said = [decode_output(line).decode() for line in tried.of("action")]
    assert said[0].split() == [
        ".", "./README", "./tinypkg", "./tinypkg/__init__.py", "./tinypkg/core.py", "./tinypkg/tests",
        "./tinypkg/tests/test_core.py",
    ]  # fmt: skip
    assert "pyc" not in said[1]
    assert said[2] == said[4] == ""
    # Python warns when it compiles a module, which the first import does and the second does not.
    assert "SyntaxWarning" in said[5]
    assert said[6] == ""


SEEDED = """
import os, sys
order = list({chr(97 + n) for n in range(20)})
def double(n):
    return 2 * n if order[0] < order[1] else n
def half(n):
    return n / 2
"""


def test_s13_the_hash_seed_is_the_same_in_every_evaluation(in_lab: TinyLab) -> None:
    found = {judged(SEEDED + f"# {n}\n").state for n in range(6)}
    assert len(found) == 1
    said = judged("import os, sys\nraise ValueError(hash('a'), os.environ['PYTHONHASHSEED'])")
    again = judged("import os, sys\nraise ValueError(hash('a'), os.environ['PYTHONHASHSEED']) #")
    assert said.detail == again.detail
    assert "'0'" in said.detail


def test_s06_scratch_files_are_part_of_the_state_and_change_no_verdict(attempt: Trier) -> None:
    scratch = "echo 'assert False' > test_scope.py; cp test_scope.py reproduce_issue.py"
    tried = attempt(bash(scratch), bash(RIGHT), bash("rm *.py"), bash(SUBMIT), after_pass="continue", horizon=4)
    assert [state for *_, state in tried.verdicts] == ["fail", "pass", "pass", "pass"]
    assert len({one.layer_digest for one in tried.result.actions}) == 3
    assert blob(layer_after(tried, 1).manifest["test_scope.py"].sha256 or "") == b"assert False\n"
