"""``task new`` and ``task check``: what is wrong with a package is said with file, key and mend."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from tiny_lab import HIDDEN, PROJECT, TinyLab, repair

from tasks.checking.check import check_package
from tasks.checking.finding import FILL_IN, Finding


@pytest.fixture
def package(lab: TinyLab, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tiny task, which is right."""
    for name in ("RESTARTLAB_TASKS", "XDG_CACHE_HOME", "RESTARTLAB_STATE"):
        monkeypatch.setenv(name, lab.environment[name])
    return lab.task


def said(package: Path) -> list[str]:
    return [str(finding) for finding in check_package(package)[1]]


def spec(package: Path, change: Callable[[dict], object]) -> None:
    data = yaml.safe_load((package / "task.yaml").read_text())
    change(data)
    (package / "task.yaml").write_text(yaml.safe_dump(data, sort_keys=False))


def test_a_right_package_has_no_findings(package: Path) -> None:
    found, findings = check_package(package)
    assert found is not None and found.id == "tiny-1"
    assert findings == []


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "unknown key": (lambda p: spec(p, lambda d: d.update(colour="red")), "task.yaml: colour: unknown key"),
    "missing patch": (lambda p: (p / "mutations/zero.patch").unlink(), "mutations/zero.patch: cannot be read"),
    "other id": (lambda p: spec(p, lambda d: d.update(id="tiny-2")), "task.yaml: id: is 'tiny-2'"),
    "test that is not there": (
        lambda p: spec(p, lambda d: d["tests"][0].update(name="test_doubling")),
        "task.yaml: tests.0.name: 'test_doubling'",
    ),
    "test that is not listed": (
        lambda p: (p / "hidden/test_hidden.py").write_text(HIDDEN + "\n\ndef test_more():\n    pass\n"),
        "hidden/test_hidden.py: test_more: is not among tests",
    ),
    "fixture": (
        lambda p: (p / "hidden/test_hidden.py").write_text(HIDDEN.replace("test_half()", "test_half(tmp_path)")),
        "hidden/test_hidden.py: test_half: takes arguments",
    ),
    "no Python": (lambda p: (p / "hidden/test_hidden.py").write_text("def test_doubles(:\n"), "line 1: is not Python"),
    "unlisted patch": (
        lambda p: (p / "mutations/other.patch").write_text(repair("1")),
        "mutations/other.patch: is not among mutations",
    ),
    "no patch": (lambda p: (p / "reference.patch").write_text("n = 2\n"), "reference.patch: does not apply"),
    "patch of another release": (
        lambda p: (p / "reference.patch").write_text(repair("2 * n").replace("-    return n + 2", "-    return n + 3")),
        "reference.patch: does not apply to the base: error: patch failed",
    ),
    "repaired already": (
        lambda p: (p / "reference.patch").write_text(
            repair("n + 2").replace("-    return n + 2", "-    return n + 1")
        ),
        "reference.patch: the base has this repair already",
    ),
    "same patch twice": (
        lambda p: (p / "mutations/zero.patch").write_text(repair("2 * n")),
        "mutations/zero.patch: is the same as reference",
    ),
    "file that the base lacks": (
        lambda p: spec(p, lambda d: d["explore"].update(files=["tinypkg/none.py"])), "task.yaml: explore.files.0:",
    ),
    "release without a hash": (
        lambda p: spec(p, lambda d: d["source"].update(release="2.0")), "no hash for tinypkg 2.0",
    ),
    "hidden test named": (
        lambda p: (p / "issue.md").write_text("double is wrong, see test_large.\n"),
        "issue.md: names the hidden test test_large",
    ),
    "assertion told": (
        lambda p: (p / "issue.md").write_text("It should be so: double(3) == 6 and double(-1) == -2\n"),
        "issue.md: holds what test_doubles asserts",
    ),
    "repair told": (
        lambda p: (
            (p / "reference.patch").write_text(repair("n * 2 if n is not None else float('nan')")),
            (p / "issue.md").write_text("Try this:\n\n    return n * 2 if n is not None else float('nan')\n"),
        ),
        "issue.md: holds a line that the reference adds",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(package: Path, name: str) -> None:
    spoil, complaint = WRONG[name]
    spoil(package)
    found = said(package)
    assert any(complaint in text and "mend:" in text for text in found), found


def test_what_the_base_holds_is_no_secret(package: Path) -> None:
    body = "def double(n):\n    return n + 2\n\n\ndef half(n):\n    return n / 2\n"
    copied = "def test_doubles():\n    " + body.replace("\n", "\n    ") + "\n" + "    # " + "x" * 40
    assert said(package) == []
    (package / "hidden/test_hidden.py").write_text(HIDDEN.replace("def test_doubles():", copied + "\n    pass") + "\n")
    assert said(package) == []  # a remark of its own: not in the base
    from tasks.checking import leaks

    loaded = check_package(package)[0]
    assert loaded is not None
    tree = package.parent / "tree"
    tree.mkdir()
    (tree / "copy.py").write_text((package / "hidden/test_hidden.py").read_text())
    (leak,) = leaks.base_leaks(loaded, tree)
    assert "copy.py of the base holds the hidden test test_doubles" in leak.what


def test_a_skeleton_is_right_in_structure_and_says_what_remains(lab: TinyLab) -> None:
    made = lab.run("task", "new", "tasks/tiny/7")
    assert made.returncode == 0, made.stderr
    root = lab.root / "tasks" / "tiny" / "7"
    assert set(made.stdout.split()) == {str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()}
    checked = lab.run("task", "check", "tasks/tiny/7", "--gate")
    assert checked.returncode == 1
    assert "tiny-7: its structure is right" in checked.stdout and "problem" not in checked.stdout
    places = sum(line.count(FILL_IN) > 0 for p in root.rglob("*") if p.is_file() for line in p.read_text().split("\n"))
    assert checked.stdout.count("remains: ") == places > 10
    assert f"{places} places remain" in checked.stderr
    again = lab.run("task", "new", "tasks/tiny/7")
    assert again.returncode == 2 and "not an empty folder" in again.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["new", "tasks/Tiny/8"], "is no task id"), (["new", "tasks/tiny/8", "--kind", "essay"], "kinds: hidden-tests"),
        (["check", "tasks/tiny/8"], "is no folder"),
    ],
)  # fmt: skip
def test_refusals(lab: TinyLab, words: list[str], complaint: str) -> None:
    refused = lab.run("task", *words)
    assert refused.returncode == 2 and complaint in refused.stderr
    assert not (lab.root / "tasks" / "tiny" / "8").exists()


@pytest.mark.needs_bwrap
def test_the_gate_runs_and_records_nothing(lab: TinyLab) -> None:
    done = lab.run("task", "check", str(lab.task), "--gate", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    schema = json.loads((PROJECT / "docs" / "schemas" / "task-check.json").read_text())
    Draft202012Validator(schema).validate(found)
    assert found["findings"] == [] and found["gate"]["qualified"] and found["task"] == "tiny-1"
    assert not (lab.state / "restartlab.db").exists()
    (lab.task / "mutations" / "zero.patch").write_text(repair("n * 2"))
    bad = lab.run("task", "check", str(lab.task), "--gate")
    assert bad.returncode == 1 and "mutation zero is accepted" in bad.stderr


def test_findings_read_well() -> None:
    assert str(Finding("problem", "f", "k", "w", "m")) == "f: k: w\n  mend: m"
    assert str(Finding("open", "f", "", "w")) == "f: w"
