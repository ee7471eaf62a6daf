"""Policies, their cost, choosing between runtimes, provenance and what is left without some episodes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from made_panels import panels, slow_set

from analysis.errors import InputError
from analysis.readout.comparisons import changes, policy_rows, tolerance, variants
from analysis.readout.details import across, details_document
from analysis.readout.measures import measured
from analysis.readout.panel import Panel, panel_of
from analysis.readout.policies import (
    agreement_guided,
    best_of_key,
    decision_episodes,
    keyed_choice,
    outcome_mean_direct,
    policies,
)
from analysis.readout.provenance import provenance_rows, sensitivities
from analysis.readout.readout import Settings, readout


def made(seed: int, c: int = 5, rate: float = 0.5) -> Panel:
    rng = np.random.default_rng(seed)
    return panel_of((rng.random((c, 3, 8)) < rate).astype(float), actions=["retry", "verify", "replace"])


def test_policies_and_episodes() -> None:
    panel = made(1)
    found = {one.name: one for one in policies(panel, [measured(panel, k) for k in (1, 2, 4)])}
    assert list(found) == [
        "no intervention", "always retry", "always verify", "always replace", "uniform", "selected, k=1",
        "selected, k=2", "selected, k=4",
    ]  # fmt: skip
    assert [one.episodes for one in found.values()] == [0, 1, 1, 1, 1, 4, 7, 13]
    held = panel.select[:, :, 4:].mean(axis=2)
    assert found["always verify"].success == pytest.approx(held[:, 1])
    assert found["uniform"].success == pytest.approx(held.mean(axis=1))
    assert not found["no intervention"].success.any()
    assert decision_episodes(5, 2) == 11


def test_costs_of_a_decision_are_those_of_its_episodes() -> None:
    cost = np.ones((5, 3, 8)) * np.array([1.0, 2.0, 4.0])[None, :, None]
    panel = replace(made(1), cost_usd=cost)
    found = {one.name: one for one in policies(panel, [measured(panel, 2)])}
    assert found["always replace"].cost_usd == 4.0
    assert found["uniform"].cost_usd == pytest.approx(7 / 3)
    selected = found["selected, k=2"].cost_usd
    assert selected is not None and 14 + 1 <= selected <= 14 + 4
    assert found["uniform"].calls is None
    cost[0, 0, 0] = np.nan  # one unknown cost makes the mean unknown
    assert {one.cost_usd for one in policies(replace(panel, cost_usd=cost), [])[1:]} == {None}


def test_continue_is_an_action_where_it_is_one() -> None:
    panel = panel_of(np.zeros((2, 2, 4)), actions=["continue", "retry"])
    assert [one.name for one in policies(panel, [])] == ["always continue", "always retry", "uniform"]


def test_a_policy_that_sees_only_a_key() -> None:
    keys, scores = ["500", "500", "429"], np.array([[0, 1, 0], [1, 1, 0], [1, 0, 0]], float)
    found = best_of_key(keys, scores, ["500", "429", "404"], fallback=1)
    assert found.tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0]]
    # Without a fallback, an unseen key gets the best of all: the first two tie with 2 successes.
    assert best_of_key(keys, scores, ["404"]).tolist() == [[0.5, 0.5, 0]]


def test_a_key_is_learned_on_other_checkpoints_only() -> None:
    scores = np.zeros((3, 2, 4))
    scores[0, 0] = 1  # the only checkpoint where the first action works; it may not teach itself
    scores[1:, 1] = 1
    choice = keyed_choice(replace(panel_of(scores), keys=("a", "a", "a")))
    assert choice.tolist() == [[0, 1], [0.5, 0.5], [0.5, 0.5]]
    with pytest.raises(InputError, match="column key: is missing"):
        keyed_choice(panel_of(scores))


@settings(max_examples=20, deadline=None)
@given(panels(least=4, most=8, two_scores=False))
def test_agreement_guided_choice_is_that_of_a_slow_reading(panel: Panel) -> None:
    other = panel_of(1 - panel.select)
    half = panel.shape[2] // 2
    k = 1
    found = agreement_guided([panel, other], k)
    for c in range(panel.shape[0]):
        stable, success = [], []
        for one in (panel, other):
            scores = one.select[c].tolist()
            free = [0.0] * one.shape[1]
            pairs = [(a, b) for a, b in combinations(combinations(range(half), k), 2) if not set(a) & set(b)]
            same = [slow_set(scores, a, free, 0) == slow_set(scores, b, free, 0) for a, b in pairs]
            stable.append(sum(same) / len(same))
            best = slow_set(scores, range(half), free, 0)
            success.append(float(np.mean([one.evaluate[c, a, half:].mean() for a in best])))
        chosen = [value for value, much in zip(success, stable, strict=True) if much >= max(stable) - 1e-12]
        assert found[c] == pytest.approx(sum(chosen) / len(chosen), abs=1e-12)


def test_outcome_means_choose_runtime_and_action() -> None:
    good, bad = np.zeros((1, 2, 4)), np.zeros((1, 2, 4))
    good[0, 1] = 1
    bad[0, 0, 2:] = 1  # works on the evaluation half alone: nobody could know
    assert outcome_mean_direct([panel_of(bad), panel_of(good)]).tolist() == [1.0]
    with pytest.raises(InputError, match="differ in checkpoints"):
        outcome_mean_direct([panel_of(good), panel_of(np.zeros((2, 2, 4)))])


def test_choosing_between_runtimes_is_refused_where_checkpoints_differ() -> None:
    settings_ = Settings(replicates=100)
    one, other = replace(made(1), runtime="a"), replace(made(2, c=4), runtime="b")
    refused = across([readout(one, settings_), readout(other, settings_)])
    assert refused is not None and "b and a differ" in refused["refused"]
    assert across([readout(one, settings_)]) is None
    both = across([readout(one, settings_), readout(replace(made(2), runtime="b"), settings_)])
    assert both is not None
    assert [row["policy"] for row in both["policies"]] == [
        "agreement-guided, k=1", "agreement-guided, k=2", "outcome-mean direct",
    ]  # fmt: skip


def test_provenance_is_counted_and_failures_stay() -> None:
    panel = made(3)
    assert provenance_rows([panel]) is None
    status = np.zeros(panel.shape, np.int8)
    status[0, 0, 0], status[1:3, :, 5] = 2, 1
    known = replace(panel, provenance=status)
    rows = provenance_rows([known])
    assert rows is not None
    assert [row.episodes for row in rows] == [113, 6, 1, 120]
    assert sum(row.positives for row in rows[:-1]) == rows[-1].positives == int(panel.select.sum())
    without_invalid, native = sensitivities(known, (1, 4))
    assert (without_invalid.without, without_invalid.episodes) == (("invalid_adapter_attempt",), 119)
    assert without_invalid.checkpoints == (5, 4)
    assert (len(native.without), native.episodes, native.checkpoints) == (2, 113, (5, 2))
    assert native.pooled_success == pytest.approx(panel.select[status == 0].mean())
    assert sensitivities(panel, (1,)) == []
    assert sensitivities(replace(panel, provenance=np.zeros(panel.shape, np.int8)), (1,)) == []


def test_what_changes_is_paired() -> None:
    panel = replace(made(4, rate=0.4), evaluate=made(5).select)
    found = readout(panel, Settings(replicates=500))
    rows = {row["metric"]: row for row in changes(found)}
    expected = found.measures[-1].mean("agreement") - found.measures[0].mean("agreement")
    assert rows["agreement"]["value"] == pytest.approx(expected)
    assert rows["agreement"]["interval"][0] <= expected <= rows["agreement"]["interval"][1]
    exact = [row for row in tolerance(found) if row["epsilon"] == 0]
    assert [row["agreement"] for row in exact] == [one.mean("agreement") for one in found.measures]
    strict = {(row["score"], bool(row["costs"])): row for row in variants(found, ("select", "evaluate"),
                                                                          {"retry": 0.5, "unheard": 1})}  # fmt: skip
    assert len(strict) == 4
    assert strict["select", False]["k"]["1"]["agreement"] == found.measures[0].mean("agreement")
    by_evaluator = measured(panel.selecting_by("evaluate"), 1)
    assert strict["evaluate", False]["k"]["1"]["agreement"] == by_evaluator.mean("agreement")
    assert strict["select", True]["costs"] == {"retry": 0.5}
    table = policy_rows(found, policies(panel, found.measures))
    reference = next(row for row in table if row["policy"] == "always verify")
    assert (reference["difference"], reference["difference_interval"]) == (0.0, [0.0, 0.0])


def test_the_details_are_json_and_the_same_every_time() -> None:
    import json

    panel = replace(made(6), runtime="r", strata=("a", "a", "b", "b", "b"), tasks=tuple("ttuuv"))
    once, again = (json.dumps(details_document([panel], Settings(replicates=200)), allow_nan=False) for _ in range(2))
    assert once == again
    document = json.loads(once)["panels"][0]
    assert document["strata"] == {"a": 2, "b": 3}
    assert len(document["rows"]) == 5
    mean = np.mean([row["k"]["2"]["agreement"] for row in document["rows"]])
    assert document["k"]["2"]["agreement"] == pytest.approx(mean)
