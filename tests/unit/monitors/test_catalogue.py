"""Monitors by name: specs, refusals, and those of other packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from trajectories import call, joined

from harness import plugins
from harness.errors import InputError
from harness.monitors.catalogue import BUILT_IN, Spec, make_monitor, parse_spec
from harness.monitors.scoring import scored


def test_names_are_those_of_the_registry() -> None:
    assert tuple(BUILT_IN) == plugins.BUILT_IN["monitors"]


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("unchanged", Spec("unchanged", {})),
        ("repeated-command:window=8", Spec("repeated-command", {"window": 8})),
        ("mine:a=1.5,b=true,c=x y", Spec("mine", {"a": 1.5, "b": True, "c": "x y"})),
    ],
)
def test_specs(text: str, spec: Spec) -> None:
    assert parse_spec(text) == spec
    assert parse_spec(spec.text) == spec


@pytest.mark.parametrize("text", ["unchanged:k", "unchanged:1=2", "mine:a=1,a=2", "mine:=3"])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not one key=value"):
        parse_spec(text)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (Spec("unchnged", {}), "unknown monitor 'unchnged'"),
        (Spec("repeated-command", {"windw": 3}), "has no parameter 'windw'"),
        (Spec("repeated-command", {"window": 0}), "window is 0; wanted: 1 call or more"),
        (Spec("stated-confidence", {"every": "x"}), "does not take"),
    ],
)
def test_what_cannot_be_made_is_refused(spec: Spec, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make_monitor(spec)


def test_a_question_without_an_answer_is_refused_by_name() -> None:
    lines = joined([call(n) for n in range(1, 7)])
    with pytest.raises(InputError, match=r"stated-confidence asks the model after call 4, and the record of tiny") as e:
        list(scored(Spec("stated-confidence", {}), lines, "tiny"))
    assert e.value.exit_code == 2


def test_nobody_is_asked_where_no_call_is_left_for_the_attempt() -> None:
    lines = joined([call(n) for n in range(1, 6)], horizon=5)
    assert [one.asked for one in scored(Spec("stated-confidence", {}), lines, "it")] == [False] * 4


_PACKAGE = """
class Loud:
    def __init__(self, above=10):
        self.above = above

    def score(self, prefix):
        return max((len(a.output) for a in prefix.calls[-1].actions), default=0) / self.above

class Broken:
    def score(self, prefix):
        return "much"

class Failing:
    def score(self, prefix):
        raise KeyError("x")
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that offers monitors, as an installer would leave it."""
    (tmp_path / "loud.py").write_text(_PACKAGE)
    info = tmp_path / "loud-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    points = "\n".join(f"{name.lower()} = loud:{name}" for name in ("Loud", "Broken", "Failing"))
    (info / "entry_points.txt").write_text(f"[restartlab.monitors]\n{points}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for cached in (plugins.offered, plugins.load):
        cached.cache_clear()
    yield
    sys.modules.pop("loud", None)
    for cached in (plugins.offered, plugins.load):
        cached.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_monitor_of_another_package() -> None:
    lines = joined([call(1, [("ls", "a")]), call(2)])
    assert [one.score for one in scored(Spec("loud", {"above": 2}), lines, "it")] == [2.0]
    assert plugins.releases([("monitors", "loud"), ("monitors", "unchanged")]) == {"monitors.loud": "loud 1.0"}
    with pytest.raises(InputError, match="loud does not take"):
        make_monitor(Spec("loud", {"below": 2}))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("name", "said"), [("broken", "gave the score 'much'"), ("failing", "failed after call 1")])
def test_a_monitor_that_does_not_work_is_named(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(scored(Spec(name, {}), joined([call(1), call(2)]), "it"))
