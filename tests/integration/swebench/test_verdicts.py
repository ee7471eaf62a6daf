"""Verdicts on an instance in the real sandbox: what counts as a pass, and what no candidate can do to it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_instances import REPO, SOURCE_FIX, make_repository, record, repository_entry

from tasks.swebench.instance import Instance
from tasks.swebench.repositories import REPOSITORIES
from tasks.swebench.task import SwebenchTask
from verifiers.gate import Bench
from verifiers.instances import Instances, qualify_instance
from verifiers.place import Place
from verifiers.verdict import Verdict

pytestmark = pytest.mark.needs_bwrap

REPAIR = f"git apply <<'P'\n{SOURCE_FIX}P\n"
TEST = "tinypkg/tests/test_core.py"


@pytest.fixture
def repaired(
    tiny: dict[str, Any], repository: tuple[Path, str, str], state: Path, tiny_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """The record, with everything that its place needs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tiny_cache))
    monkeypatch.setenv("RESTARTLAB_REPOS", str(repository[0]))
    monkeypatch.setitem(REPOSITORIES, REPO, repository_entry())
    return tiny


def place_of(data: dict[str, Any]) -> Place:
    return Instances().prepare(SwebenchTask(Instance.model_validate(data)), "bubblewrap")


def judged(data: dict[str, Any], command: str) -> Verdict:
    place = place_of(data)
    assert isinstance(place.task, SwebenchTask)
    bench = Bench(place.task, place)
    return place.verifier.verify(bench.layer(command), bench._content.__getitem__)


def test_the_gate_qualifies_it_and_says_what_it_could_not_check(repaired: dict[str, Any]) -> None:
    place = place_of(repaired)
    assert isinstance(place.task, SwebenchTask)
    result = qualify_instance(place.task, place)
    assert result.qualified, result.complaints()
    assert (result.base, result.nop, result.reference, result.reset, result.flake_rate) == (True, True, True, True, 0)
    assert (result.mutations, result.alternatives) == ([], [])
    assert "no wrong repairs" in result.remark
    known = Instances().known(place.task, "bubblewrap")
    assert known == (place.tools.version, place.base.digest)


@pytest.mark.parametrize(
    "command",
    [
        REPAIR,
        f"{REPAIR}sed -i '1i print(\"test_doubles F\")' tinypkg/core.py",
        f"{REPAIR}sed -i 's/    return 2/    print(\"noise\", flush=True)\\n    return 2/' tinypkg/core.py",
        f"{REPAIR}rm -rf tinypkg/tests",
        f"{REPAIR}echo 'def test_doubles(): assert False' > {TEST}",
        f"{REPAIR}rm -rf tinypkg/tests && ln -s /tmp tinypkg/tests",
        f"{REPAIR}rm {TEST} && mkdir {TEST}",
        f"{REPAIR}git add -A && git -c user.name=a -c user.email=a@b.c commit -qm done && rm -rf .git",
    ],
    ids=["plain", "print-at-import", "print-in-test", "no-tests", "broken-test", "linked-tests", "folder", "no-git"],
)  # fmt: skip
def test_a_repair_passes_whatever_else_was_done(repaired: dict[str, Any], command: str) -> None:
    verdict = judged(repaired, command)
    assert verdict.state == "pass", verdict.detail
    assert verdict.obligations == {"test_doubles": True, "test_two": True, "test_half": True}


@pytest.mark.parametrize(
    ("command", "state"),
    [
        ("true", "fail"),
        (f"echo 'def test_doubles(): pass' > {TEST}", "fail"),
        (f"{REPAIR}sed -i 's/n [/] 2/n/' tinypkg/core.py", "fail"),  # a guard
        (f"{REPAIR}echo 'def (' >> tinypkg/core.py", "broken_import"),
        (f"{REPAIR}echo 'raise AssertionError' >> tinypkg/__init__.py", "broken_import"),
        (f"{REPAIR}rm -rf tinypkg", "broken_import"),
        (f"{REPAIR}sed -i '/def half/,$d' tinypkg/core.py", "fail"),  # the tests cannot import half
        (f"{REPAIR}echo 'import os; os._exit(0)' >> tinypkg/core.py", "no_result"),
    ],
    ids=["nothing", "own-test", "guard", "syntax", "import", "gone", "name", "exit"],
)
def test_what_does_not_pass(repaired: dict[str, Any], command: str, state: str) -> None:
    assert judged(repaired, command).state == state


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("class Skipped(Exception): ...\n    raise Skipped('no numpy')", "skip"),
        ("class XFail(Exception): ...\n    raise XFail", "xfail"),
        ("yield (lambda n: [][n]), 1", "fail: IndexError"),
    ],
    ids=["skip", "xfail", "generator"],
)
def test_skips_and_expected_failures_are_no_pass(
    repaired: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, said: str
) -> None:
    base, patch = make_repository(tmp_path / "repos" / REPO, f"\n\ndef test_doubles():\n    {body}\n")
    monkeypatch.setenv("RESTARTLAB_REPOS", str(tmp_path / "repos"))
    verdict = judged(record(base, patch), REPAIR)
    assert verdict.state == "fail"
    (outcome,) = (value for name, value in verdict.tests.items() if name.endswith("test_doubles"))
    assert outcome.startswith(said)


def test_no_name_may_be_missing(repaired: dict[str, Any]) -> None:
    place = place_of(repaired)
    verifier: Any = place.verifier
    test = next(iter(verifier.failing.values()))[0]
    verifier.failing["test_absent"] = [dataclasses.replace(test, function="test_absent")]
    assert isinstance(place.task, SwebenchTask)
    bench = Bench(place.task, place)
    verdict = verifier.verify(bench.layer(REPAIR), bench._content.__getitem__)
    assert (verdict.state, verdict.obligations["test_absent"]) == ("fail", False)
