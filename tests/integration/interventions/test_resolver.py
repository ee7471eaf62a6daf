"""A resolver is told every distinct failed patch, labelled; it starts clean, and what it is told is on record."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from endpoints import in_lab
from made_branches import CORE, Changes, collect_by_hand
from tiny_lab import TinyLab

from harness.paths import state_dir
from harness.protocol.freeze import freeze
from harness.recorder import read_trajectory
from harness.store.blobs import Blobs
from harness.store.store import Store

pytestmark = pytest.mark.needs_bwrap
__all__ = ["in_lab"]

ACTION = {
    "name": "resolver", "workspace": "reset", "context": "reset",
    "message": "What failed:\n\n{patches}\n\nMind {it}.\n",
}  # fmt: skip
WRONG: list[Changes | str] = [
    {"tinypkg/core.py": CORE.replace("n + 2", "n + 3"), "scratch.py": "x\n"},
    {"tinypkg/core.py": CORE.replace("n + 2", "n + 3")},
    "verified",
    {"tinypkg/extra.py": "A = 1\n"},
]


def resolver(lab: TinyLab, **changes: object) -> None:
    lab.write_stage(
        "resolver", kind="resolver", horizon=3, hypotheses={"source": {"stage": "source"}},
        arms=[{"name": "resolver", "action": ACTION}],
        analysis={"budget": 3, "cutoffs": [2, 3], "times": [1], "alpha": 0.05, "method": "clopper-pearson",
                  "family": "tasks x times", "expansion_rule": "None."},
        **{"repeats": 1, **changes},
    )  # fmt: skip
    freeze("resolver")


@pytest.fixture
def store(in_lab: TinyLab) -> Iterator[Store]:
    in_lab.write_stage("source")
    in_lab.state.mkdir(parents=True, exist_ok=True)
    with Store.open(in_lab.state / "restartlab.db") as opened:
        yield opened


def test_a_resolver_sees_each_failed_patch_once(store: Store, in_lab: TinyLab) -> None:
    collect_by_hand(store, "source", {"tiny-1": WRONG})
    resolver(in_lab)
    done = in_lab.run("collect", "resolver")
    assert done.returncode == 0, done.stderr
    ((_, facts),) = store.ended_tries("resolver")
    found = list(read_trajectory(Blobs(state_dir() / "blobs").get(facts["trajectory"])))
    opening = [line["message"] for line in found[: next(n for n, x in enumerate(found) if x["type"] == "call")]
               if line["type"] == "message"]  # fmt: skip
    said = opening[-1]["content"]
    assert opening[-1]["role"] == "user"
    assert said.count("Failed hypothesis ") == 2
    assert "Failed hypothesis 1 of 2" in said
    assert "+    return n + 3" in said
    assert "+A = 1" in said
    assert "scratch.py" not in said
    assert "Mind {it}." in said
    assert facts["outcome"]["interventions"][0]["call"] == 0
    assert [line["call"] for line in found if line["type"] == "call"] == list(range(1, facts["calls"] + 1))
    (told,) = store.reuse("hypotheses_told", stage="resolver")
    assert len(told["layers"]) == 2
    report, fault = store.verify_ledger()
    assert report.fault is None
    assert fault is None


def test_a_task_without_failed_patches_is_refused(store: Store, in_lab: TinyLab) -> None:
    collect_by_hand(store, "source", {"tiny-1": ["verified", {"notes.md": "x"}, "verified", "verified"]})
    resolver(in_lab)
    done = in_lab.run("collect", "resolver")
    assert done.returncode == 2
    assert "source left no failed patch of tiny-1, scripted" in done.stderr
    assert store.ended_tries("resolver") == []


def test_what_is_told_may_not_change(store: Store, in_lab: TinyLab) -> None:
    collect_by_hand(store, "source", {"tiny-1": WRONG})
    resolver(in_lab, repeats=2)
    assert in_lab.run("collect", "resolver", "--limit", "1").returncode == 0
    (told,) = store.reuse("hypotheses_told", stage="resolver")
    assert in_lab.run("collect", "resolver").returncode == 0
    assert store.reuse("hypotheses_told", stage="resolver") == [told]
    assert len(store.ended_tries("resolver")) == 2


def test_a_resolver_needs_a_place_for_the_patches(in_lab: TinyLab) -> None:
    arms = [{"name": "resolver", "action": {**ACTION, "message": "Nothing."}}]
    in_lab.write_stage("resolver", kind="resolver", hypotheses={"source": {"stage": "source"}}, arms=arms)
    done = in_lab.run("freeze", "resolver")
    assert done.returncode == 2
    assert "whose message holds {patches}" in done.stderr
