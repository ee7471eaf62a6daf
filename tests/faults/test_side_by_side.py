"""Collections at once on one machine and one database; viewers beside them."""

from __future__ import annotations

import pytest
from aftermath import counted, excluded, exported, faults_of_folders, faults_of_rows, faults_of_store, undisturbed
from disturbed import Starter
from tiny_lab import TinyLab

pytestmark = pytest.mark.needs_bwrap


def test_two_stages_do_not_touch_each_other(frozen: TinyLab, start: Starter) -> None:
    frozen.write_stage("other", repeats=3, horizon=6, analysis=_shorter())
    assert frozen.run("freeze", "other").returncode == 0
    wanted = {name: undisturbed(frozen, name) for name in ("tiny", "other")}
    both = [start(frozen, "collect", name) for name in ("tiny", "other")]
    assert [one.end()[0] for one in both] == [0, 0]
    for name, rows in wanted.items():
        found = exported(frozen, name)
        assert counted(found) == rows
        assert excluded(found) == []
    assert faults_of_store(frozen) == []
    assert faults_of_folders(frozen) == []


@pytest.mark.slow
def test_a_killed_stage_costs_the_other_nothing(frozen: TinyLab, start: Starter) -> None:
    frozen.write_stage("other", repeats=3, horizon=6, analysis=_shorter())
    assert frozen.run("freeze", "other").returncode == 0
    wanted = {name: undisturbed(frozen, name) for name in ("tiny", "other")}
    one, other = (start(frozen, "collect", name) for name in ("tiny", "other"))
    one.await_worker()
    one.process.kill()
    again = start(frozen, "collect", "tiny")  # it sweeps, while the other's workspaces live
    assert [again.end()[0], other.end()[0]] == [0, 0]
    assert excluded(exported(frozen, "other")) == []
    for name, rows in wanted.items():
        assert counted(exported(frozen, name)) == rows
    assert faults_of_store(frozen) == []
    assert faults_of_folders(frozen) == []


@pytest.mark.slow
def test_one_stage_collected_twice_at_once_runs_nothing_twice(frozen: TinyLab, start: Starter) -> None:
    wanted = undisturbed(frozen)
    both = [start(frozen, "collect", "tiny", "--workers", "2") for _ in range(2)]
    codes = [one.end()[0] for one in both]
    # The one that ends first may leave attempts that the other is still running.
    assert set(codes) <= {0, 1}
    rows = exported(frozen)
    assert counted(rows) == wanted
    assert excluded(rows) == []
    assert faults_of_rows(rows) == []
    assert faults_of_store(frozen) == []
    assert frozen.run("collect", "tiny").returncode == 0


def _shorter() -> dict[str, object]:
    from tiny_lab import stage_data

    return {**dict(stage_data()["analysis"]), "budget": 6, "cutoffs": [2, 4]}  # type: ignore[call-overload]
