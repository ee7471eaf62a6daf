"""What counts as the same observation, and what an action depended on."""

from __future__ import annotations

import pytest

from harness.importers.record import Observation
from harness.reverify.dependence import dependences
from harness.reverify.fidelity import Match, compare, fidelity_of
from harness.reverify.masking import mask
from harness.sandbox.interface import Result


def result(output: str, code: int = 0, **more: object) -> Result:
    return Result(code, output.encode(), 0.1, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("recorded", "shown"),
    [
        ("<object at 0x7f00ab>", "<object at 0x11>"),
        ("1 passed in 0.31 seconds", "1 passed in 12.5 seconds"),
        ("index 593048464b..8769b3d3dd 100644", "index 1111111..2222222 100644"),
        ("random seed:        123", "random seed:        9"),
        ("/opt/miniconda3/envs/testbed/lib/python3.9/site-packages/x.py", "/u/v/lib/python3.11/site-packages/x.py"),
        ("-rw-r--r-- 1 root root 12 Nov 18 10:00 a", "-rw-r--r-- 1 agent agent 4096 Jan  1 00:00 a"),
        ("real\t0m3.2s", "real\t0m1.9s"),
    ],
)
def test_volatile_text_is_masked(recorded: str, shown: str) -> None:
    match = compare("x", Observation(0, recorded), result(shown))
    assert match == Match(returncode=True, exact=False, masked=True)


@pytest.mark.parametrize(("recorded", "shown"), [("42", "43"), ("x = 1", "x = 2"), ("1 passed", "1 failed"), ("", "a")])
def test_what_means_something_is_not(recorded: str, shown: str) -> None:
    assert compare("x", Observation(0, recorded), result(shown)).masked is False
    assert mask("abc 12345678 deed") == "abc 12345678 deed"


def test_listings_have_no_order() -> None:
    seen = Observation(0, "a\nb\n")
    assert compare("find . -name x", seen, result("b\na\n")) == Match(True, False, True)
    assert compare("cat a b", seen, result("b\na\n")).masked is False
    assert compare("grep -rn x .", seen, result("b\na\na\n")).masked is False


def test_recorders_lose_carriage_returns() -> None:
    assert compare("cat x", Observation(0, "a\nb\n"), result("a\r\nb\r\n")).exact is True


def test_ends_of_elided_outputs() -> None:
    seen = Observation(0, None, "a\nb", "y\nz", 5)
    assert compare("x", seen, result("a\nb" + "\n----" + "y\nz")).exact is True
    assert compare("x", seen, result("a\nb" + "\n---" + "\ny\nz!")).masked is False
    assert compare("x", seen, result("a\nb" + "\n-------" + "\ny\nz")).masked is True


def test_submissions_and_timeouts() -> None:
    sent = Observation(0, "diff\n", submission=True)
    assert compare("x", sent, result("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\ndiff\n")).exact is True
    late = Observation(None, "", timed_out=True)
    assert compare("x", late, result("", -1, timed_out=True, limit="seconds")) == Match(returncode=True)
    assert compare("x", late, result("done")) == Match(returncode=False)


def test_shares_and_first_divergence() -> None:
    matches = [(1, Match(True, True, True)), (2, Match(True, False, True)), (3, Match(False, False, False)),
               (4, Match(True))]  # fmt: skip
    found = fidelity_of(matches)
    assert (found.returncode, found.exact, found.first_divergence) == (0.75, 1 / 3, 3)
    assert found.masked == pytest.approx(2 / 3) and found.decisive == 0.75
    assert fidelity_of([(1, Match(None, True, True))]).decisive == 1.0
    assert fidelity_of([]).decisive is None


def test_dependences() -> None:
    def kinds(command: str, known: str, shown: str, code: int = 1) -> list[tuple[str, str]]:
        seen, now = Observation(0, known), result(shown, code)
        return list(dependences(command, seen, now, compare(command, seen, now)))

    assert kinds("pip install numpy", "ok", "no") == [("env_changed", "pip install"), ("network", "pip install")]
    assert kinds("cd x && curl http://a", "ok", "no") == [("network", "curl")]
    assert kinds("antlr4 x", "ok", "bash: antlr4: command not found") == [("missing_tool", "antlr4")]
    assert kinds("python x", "ok", "ModuleNotFoundError: No module named 'numpy'") == [
        ("missing_tool", "Python module numpy")
    ]
    assert kinds("time ls", "a", "b") == [("time", "time")]
    assert kinds("grep time x", "a", "b") == []
    assert kinds("date", "a", "a", 0) == []
