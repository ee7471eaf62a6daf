"""A stage of kind patch_algebra on failed branches made by hand: real merges, real verifications, real records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from endpoints import in_lab
from jsonschema import Draft202012Validator
from made_branches import CORE, Changes, collect_by_hand, copy_task
from tiny_lab import PROJECT, TinyLab

from harness.protocol.freeze import freeze, require_frozen
from harness.recovery.patch_algebra import run_compositions
from harness.store.store import Store
from harness.workspace.layer import Layer
from verifiers.verdict import State, Verdict

pytestmark = pytest.mark.needs_bwrap
__all__ = ["in_lab"]

#: Two halves of a repair: each is broken alone, and together they pass.
NEEDS = {"tinypkg/core.py": "from tinypkg.help import twice\n\n\n" + CORE.replace("n + 2", "twice(n)")}
OFFERS = {"tinypkg/help.py": "def twice(n):\n    return 2 * n\n"}
ARMS = [
    {"name": "baseline"},
    {"name": "rejuvenation", "trigger": {"kind": "format-errors", "count": 3},
     "action": {"name": "context-reset", "workspace": "keep", "context": "summary"}},
]  # fmt: skip


def branches(task: int) -> list[Changes | str]:
    """Ten attempts: edits of one line that conflict, new files, a scratch file that is no code, a deletion."""
    edits: list[Changes | str] = [
        {"tinypkg/core.py": CORE.replace("n + 2", f"n + {n}"), "reproduce.py": "print(1)\n"} for n in (3, 4, 5)
    ]
    others: list[Changes | str] = [
        {"tinypkg/core.py": CORE + "\n\ndef thrice(n):\n    return 3 * n\n"},
        {"tinypkg/extra.py": "A = 1\n"}, {"tinypkg/more.py": f"B = {task}\n" * 9}, {"tinypkg/core.py": None}, NEEDS,
        OFFERS,
    ]  # fmt: skip
    last: Changes | str = {1: edits[0], 2: {"tinypkg/last.py": "C = 1\n"}, 3: "verified"}.get(task, {"notes.txt": "x"})
    return [*edits, *others, last]


@pytest.fixture
def store(in_lab: TinyLab) -> Iterator[Store]:
    """Forty attempts at four tasks; one verified, one that left no code, two of the same content."""
    tasks = ["tiny-1", *(copy_task(in_lab, number) for number in (2, 3, 4))]
    in_lab.write_stage("source", tasks=tasks, repeats=5, arms=ARMS)
    in_lab.write_stage(
        "algebra", kind="patch_algebra", tasks=tasks, repeats=1, arms=[{"name": "composition"}], analysis=None,
        composition={"source": {"stage": "source"}, "rank": "fewest-lines", "most_per_task": 3},
    )  # fmt: skip
    in_lab.state.mkdir(parents=True, exist_ok=True)
    with Store.open(in_lab.state / "restartlab.db") as opened:
        collect_by_hand(opened, "source", {task: branches(number) for number, task in enumerate(tasks, 1)})
        freeze("algebra")
        yield opened


def made(store: Store, stage: str = "algebra") -> list[dict[str, Any]]:
    return store.reuse("compositions_made", stage=stage)


def test_the_stage_end_to_end(store: Store, in_lab: TinyLab) -> None:
    done = in_lab.run("collect", "algebra")
    assert done.returncode == 0, done.stderr
    records = made(store)
    assert [len(one["sources"]) for one in records] == [10, 10, 9, 9]
    assert sum(len(one["pairs"]) for one in records) == 162
    assert sum(one["contents"] for one in records) == 37
    assert [one["left_out"] for one in records] == [{}, {}, {"verified": 1}, {"empty": 1}]
    outcomes = Counter(pair["outcome"] for one in records for pair in one["pairs"])
    assert set(outcomes) == {"conflict", "equals_source", "equals_composite", "novel"}
    calls = store.reuse("composition_verified", stage="algebra")
    for one in records:
        ranks = {pair["rank"]: pair for pair in one["pairs"] if pair["rank"]}
        mine = [call for call in calls if call["task"] == one["task"]]
        assert [call["rank"] for call in mine] == [1, 2, 3]  # at most three of a task, best first
        assert [call["layer"] for call in mine] == [ranks[n]["layer"] for n in (1, 2, 3)]
        assert [ranks[n]["lines"] for n in (1, 2, 3)] == sorted(pair["lines"] for pair in ranks.values())[:3]
        assert all(call["ledger_seq"] > one["ledger_seq"] for call in mine)  # ranked before any verdict
    assert {call["state"] for call in calls} == {"fail"}
    document = json.loads(in_lab.run("compositions", "algebra", "--json").stdout)
    schema = json.loads((PROJECT / "docs" / "schemas" / "compositions.json").read_text())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []
    (total,) = document["totals"]
    assert (total["sources"], total["contents"], total["pairs"], total["verified"]) == (38, 37, 162, 12)
    assert "162" in in_lab.run("compositions", "algebra").stdout
    (reused,) = json.loads(in_lab.run("report", "source", "--json").stdout)["reuse"]
    assert reused == document
    named = in_lab.run("report", "algebra", "source", "--json")
    assert json.loads(named.stdout)["reuse"] == [document], "its unions stand in the report of its source"
    assert "restartlab compositions algebra" in in_lab.run("status", "algebra").stdout
    refused = in_lab.run("audit", "algebra")
    assert refused.returncode == 2 and "restartlab compositions algebra" in refused.stderr
    again = in_lab.run("collect", "algebra")
    assert again.returncode == 0
    assert len(store.reuse("composition_verified", stage="algebra")) == len(calls)  # nothing is verified twice
    assert in_lab.run("status", "source").returncode == 0


def test_two_halves_of_a_repair_pass_together(store: Store, in_lab: TinyLab) -> None:
    in_lab.write_stage(
        "deep", kind="patch_algebra", tasks=["tiny-2"], repeats=1, arms=[{"name": "composition"}], analysis=None,
        composition={"source": {"stage": "source"}, "rank": "fewest-lines", "most_per_task": 40},
    )  # fmt: skip
    freeze("deep")
    run_compositions(store, require_frozen("deep"), ["scripted"], ["tiny-2"], lambda said: None)
    passed = [call for call in store.reuse("composition_verified", stage="deep") if call["state"] == "pass"]
    (one,) = made(store, "deep")
    sources = {source["attempt"]: source["layer"] for source in one["sources"]}
    halves = [{pair["left"], pair["right"]} for pair in one["pairs"] if pair["layer"] in {c["layer"] for c in passed}]
    assert len(halves) == 1
    assert len({sources[attempt] for attempt in halves[0]}) == 2
    assert passed[0]["tests_passed"] == passed[0]["tests"] == 3


def judged(store: Store, stage: str, state: State) -> list[str]:
    """The composites that are handed to a verifier that always says ``state``, in their order."""
    asked: list[str] = []

    def verify(layer: Layer) -> Verdict:
        asked.append(layer.digest)
        return Verdict(state, layer.verdict_key)

    run_compositions(store, require_frozen(stage), ["scripted"], ["tiny-1", "tiny-3"], lambda said: None,
                     lambda place: verify)  # fmt: skip
    return asked


def test_swapped_verdicts_move_nothing_in_the_ranking(store: Store, in_lab: TinyLab) -> None:
    text = (in_lab.root / "protocols" / "algebra.yaml").read_text()
    (in_lab.root / "protocols" / "swapped.yaml").write_text(text.replace("stage: algebra", "stage: swapped"))
    freeze("swapped")
    failed, passed = judged(store, "algebra", "fail"), judged(store, "swapped", "pass")
    assert failed == passed
    assert len(failed) == 6
    first, second = ([one["pairs"] for one in made(store, name)] for name in ("algebra", "swapped"))
    assert first == second
    clean = {pair["layer"] for pairs in first for pair in pairs if pair["outcome"] == "novel"}
    unclean = [pair for pairs in first for pair in pairs if pair["outcome"] == "conflict"]
    assert unclean
    assert all(pair["layer"] is None for pair in unclean)  # there is nothing of them that could be verified
    assert set(failed) <= clean


def test_an_incomplete_source_is_refused(in_lab: TinyLab) -> None:
    in_lab.write_stage("source", arms=ARMS)
    in_lab.write_stage(
        "algebra", kind="patch_algebra", repeats=1, arms=[{"name": "composition"}], analysis=None,
        composition={"source": {"stage": "source"}, "rank": "fewest-lines", "most_per_task": 3},
    )  # fmt: skip
    for stage in ("source", "algebra"):
        assert in_lab.run("freeze", stage).returncode == 0
    done = in_lab.run("collect", "algebra")
    assert done.returncode == 2
    assert "source holds no attempt at tiny-1 of runtime scripted" in done.stderr
    assert in_lab.run("collect", "source", "--limit", "1").returncode == 0
    done = in_lab.run("collect", "algebra")
    assert done.returncode == 1
    assert "have no counted try" in done.stderr
    assert "algebra has no compositions" in in_lab.run("compositions", "algebra").stderr
