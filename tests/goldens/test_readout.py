"""Published numbers of "Same Winners, Different Success Rates" (2026).

Data: readout_fixtures.json and readout_tables.json, copied from the goldens of the project. Every row of the tables is
either computed by a public function here, or listed in ``OUT`` with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.intervals import clopper_pearson
from analysis.readout import preference, symmetry
from analysis.readout.blocks import blocks_of
from analysis.readout.collisions import ceiling
from analysis.readout.display import half_up, outward
from analysis.readout.exact_bootstrap import bootstrap_law, common_denominator
from analysis.readout.gates import gates
from analysis.readout.measures import measured
from analysis.readout.pair_tables import census
from analysis.readout.panel import INVALID_ADAPTER, OBSERVED, PROTOCOL_FAILURE, Panel, panel_of
from analysis.readout.policies import decision_episodes, evaluation_means, policies
from analysis.readout.provenance import provenance_rows
from analysis.readout.ranks import spearman
from analysis.readout.readout import Settings, readout
from analysis.readout.relations import crossed_with_outcome, relation_counts, relations
from analysis.readout.warnings import warnings_of

DATA = Path(__file__).parent / "data"
FIXTURES = json.loads((DATA / "readout_fixtures.json").read_text(encoding="utf-8"))
TABLES = {row["id"]: row for row in json.loads((DATA / "readout_tables.json").read_text(encoding="utf-8"))}
LUNA = FIXTURES["Luna"]

#: Pairs of sets of the census, by the sets' codes: the same, overlapping or disjoint sets of these sizes.
PAIRS = {
    "11=": (1, 1), "11x": (1, 2), "12o": (1, 3), "12x": (1, 6), "13": (1, 7), "22=": (3, 3), "22o": (3, 5),
    "23": (3, 7), "33": (7, 7),
}  # fmt: skip
TERRA = census([PAIRS[kind] for kind, n in FIXTURES["origTerra_k4_pair_types"].items() for _ in range(n)], 3)
#: Printed at k = 1 for the same panel (Tables 3 and 45).
TERRA_1 = {"agreement": 0.318, "jaccard": 0.619, "uniform_choice": 0.318, "size_reference": 0.336}


def luna() -> Panel:
    return panel_of(LUNA["tensor"], actions=["retry", "verify", "replace"])


def cells(direct: int, overlap: int, discordant: int, top: int = 0) -> tuple[Any, Any]:
    """Reference and live sets with these relations; in the first ``top`` overlaps the first actions are the same."""
    reference = [1] * (direct + overlap) + [4] * discordant
    live = [1] * direct + [3 if place < top else 7 for place in range(overlap)] + [3] * discordant
    for place in range(direct + top, direct + overlap):
        reference[place] = 2  # in the live set, and not its first action
    return np.array(reference), np.array(live)


def shares(*counts: int) -> list[float]:
    found = relation_counts(relations(*cells(*counts)))
    return [float(half_up(Fraction(count, sum(counts)))) for count in found.values()]


def three(numerator: int, denominator: int) -> float:
    return float(half_up(Fraction(numerator, denominator)))


def fixed(*successes: int) -> Panel:
    """24 checkpoints of which each action succeeds so often in the 96 held-out draws, and never before."""
    scores = np.zeros((24, len(successes), 8))
    for action, count in enumerate(successes):
        scores[:, action, 4:] = (np.arange(96) < count).reshape(24, 4)
    return panel_of(scores, actions=["retry", "verify", "replace"][: len(successes)])


def provenance() -> list[float]:
    """Rates of 364, 487 and 13 episodes with 46, 1 and 0 positives."""
    scores, status = [], []
    for code, episodes, positives in ((OBSERVED, 364, 46), (PROTOCOL_FAILURE, 487, 1), (INVALID_ADAPTER, 13, 0)):
        scores += [1.0] * positives + [0.0] * (episodes - positives)
        status += [code] * episodes
    made = np.array(scores).reshape(36, 3, 8)
    names = tuple(f"c{i:02}" for i in range(36))
    panel = Panel(names, ("a", "b", "c"), tuple(range(8)), made, made, np.array(status, np.int8).reshape(made.shape))
    rows = provenance_rows([panel])
    assert rows is not None
    assert [(row.episodes, row.positives) for row in rows] == [(364, 46), (487, 1), (13, 0), (864, 47)]
    assert half_up(rows[-1].rate or 0.0) == "0.054"
    return [float(half_up(row.rate or 0.0)) for row in rows]


def quality() -> dict[str, dict[str, int]]:
    """Relations of Table 25 crossed with outcomes, from cells that have them."""
    reference, live = cells(1, 23, 24)
    scores = np.zeros((48, 3))
    scores[0, 0] = 1  # the direct cell succeeds in part
    scores[1:16] = 1  # 15 overlaps succeed in all, 8 in none
    scores[24:37] = 1  # 13 discordant cells succeed in all, 4 in part, 7 in none
    scores[37:41, 1] = 1
    return crossed_with_outcome(relations(reference, live), scores)


def ceilings(hits: int, of: int) -> float:
    """Cells of one key, of which so many have the action that their class takes."""
    found = ceiling(["same"] * of, np.array([1] * hits + [2] * (of - hits)), np.zeros((of, 3)))
    return float(half_up(found.agreement))


def fractions(of: int, rows: dict[str, int]) -> dict[str, float]:
    return {name: three(count, of) for name, count in rows.items()}


def computed() -> dict[str, float]:
    """Rows of the tables, as public functions give them."""
    rates, keyed = provenance(), {gate.rule: gate for gate in gates(*cells(2, 22, 24, top=12))}
    quality_rows = quality()
    uniform = fixed(65, 74, 66)
    by_name = {one.name: float(one.success.mean()) for one in policies(uniform, [])}
    k4 = {name: value - TERRA_1.get(name, 0.0) for name, value in TERRA.items()}
    read = {k: measured(luna(), k) for k in (1, 2, 4)}
    ends = {x: [float(end) for end in clopper_pearson(x, 16, 0.05)] for x in (0, 3, 16)}
    return {
        "rb-n": 3.0 * luna().episodes, "pl-n": 6.0 * uniform.episodes,
        "t49-rate0": rates[0], "t49-rate1": rates[1], "t49-rate2": rates[2],
        "t24-t31": three(91 + 89, 288), "t27-verify": three(16 + 14 + 14 + 14, 96), "t27-t31": three(61 + 58 + 61, 288),
        "t5-1": shares(2, 20, 26)[1], "t5-2": shares(2, 20, 26)[2], "t5-3": three(6, 48), "t5-5": shares(2, 21, 25)[1],
        "t5-7": three(4, 48), "t5-8": shares(2, 22, 24)[0], "t5-9": shares(2, 22, 24)[1],
        "t26-sum0": float(sum(relation_counts(relations(*cells(0, 24, 24))).values())),
        "t26-sum2": float(sum(relation_counts(relations(*cells(1, 22, 25))).values())),
        "t26-sum3": float(sum(relation_counts(relations(*cells(2, 22, 24))).values())),
        "t25-rows": float(sum(
            row["cells"] == row["all_success"] + row["partial"] + row["all_fail"] for row in quality_rows.values()
        )),
        "t25-t31": float(sum(row["all_fail"] for row in quality_rows.values())),
        "t28-agr0": keyed["replay_only"].agreement, "t28-ext0": keyed["replay_only"].extra,
        "t28-agr1": keyed["set_membership"].agreement, "t28-agr2": keyed["serialized_top1"].agreement,
        "t28-ext2": keyed["serialized_top1"].extra, "t28-agr3": keyed["record_erased"].agreement,
        "t28-ext3": keyed["record_erased"].extra,
        "t29-lo0": ends[0][0], "t29-hi0": ends[0][1], "t29-lo1": ends[3][0], "t29-hi1": ends[3][1],
        "t29-lo2": ends[16][0], "t29-hi2": ends[16][1], "t29-rate": three(3, 16),
        "t3-2": three(34, 864) + three(142, 864), "t3-4": TERRA["single"] + TERRA["multiple"],
        "t41-multi-1": three(119, 384), "t41-size-1": three(439, 192), "t41-agree-2": three(176, 864),
        "t41-single-2": three(34, 864), "t41-multi-2": three(142, 864), "t41-size-2": three(551, 288),
        "t41-agree-4": TERRA["agreement"], "t41-single-4": TERRA["single"], "t41-multi-4": TERRA["multiple"],
        "t41-size-4": TERRA["mean_size"],
        **{f"calls-{k}": float(decision_episodes(3, k)) for k in (1, 2, 4)},
        "t35-uniform-mean": by_name["uniform"],
        "t40-Luna": float(evaluation_means(fixed(0, 61))[:, 1].mean()), "t40-RTerra": by_name["always verify"],
        **{f"t1-Luna-{k}": one.mean("agreement") for k, one in read.items()},
        "t1-Terra-1": three(149, 192), "t1-Terra-2": three(297, 432), "t1-Terra-4": three(7, 12),
        "t1-Sol-1": three(141, 192), "t1-Sol-2": three(271, 432), "t1-Sol-4": three(5, 12),
        "t45-exact": k4["agreement"], "t45-jacc": k4["jaccard"], "t45-uniform": k4["uniform_choice"],
        "t45-sizeref": k4["size_reference"],
        "t45k4-common": TERRA["common_action"], "t45k4-jacc": TERRA["jaccard"],
        "t45k4-uniform": TERRA["uniform_choice"], "t45k4-sizeref": TERRA["size_reference"],
        **fractions(112, {"t8id-verify": 49, "t8id-replace": 100, "t8id-status": 75}),
        **fractions(108, {"t8ood-retry": 27, "t8ood-verify": 44, "t8ood-replace": 96, "t8ood-status": 66,
                          "t8ood-trace": 93}),
        "t10-accID": ceilings(84, 112), "t10-accOOD": ceilings(94, 108),
        **fractions(2000, {"t22-t23-top1": 1919, "t22-tie-set": 176, "t22-tie-top1": 140}),
        "t30b": three(31, 36), "t31-agr": three(42, 48), "t31-agrT": three(43, 48), "t46-1": three(645, 768),
        "t46-2": three(1401, 1728), "t46-4": three(41, 48), "t46-adj4": three(43, 48),
        **{f"t50-luna{k}": spearman(read[k].column("agreement"), read[k].column("held_out_success")) for k in (1, 4)},
    }  # fmt: skip


#: Rows that no public function computes.
OUT = {
    **dict.fromkeys(("t14-greedy", "t14-par", "t16"), "a simulator of evidence requests, out of scope"),
    **dict.fromkeys(
        ("t22-ov", "t22-ov2", "t22-miss", "t22-err", "t22-err2"), "sums of counts of a simulator, out of scope"
    ),
    **dict.fromkeys(("t37-1", "t37-2", "t37-4"), "subtracts printed numbers; the outcomes are not public"),
    **dict.fromkeys(("tok-1", "tok-2"), "divides printed numbers; tokens of episodes are not public"),
}


def test_every_row_is_computed_or_listed_as_out() -> None:
    found = computed()
    assert not set(found) & set(OUT)
    assert set(found) | set(OUT) == set(TABLES)
    wrong = {
        name: (value, TABLES[name]["expected"])
        for name, value in found.items()
        if abs(value - TABLES[name]["expected"]) > TABLES[name]["tol"] + 1e-12
    }
    assert wrong == {}


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_tensor_gives_its_metrics(k: int) -> None:
    found, expected = measured(luna(), k), LUNA["expect"][str(k)]
    assert int(luna().select.sum()) == LUNA["positives"]
    assert found.mean("agreement") == pytest.approx(expected["agree"], abs=1e-12)
    assert found.mean("all_zero") == pytest.approx(expected["allzero"], abs=1e-12)
    assert found.mean("held_out_success") == pytest.approx(expected["success"], abs=1e-12)


#: Exact bootstrap ends of agreement, all-zero pairs and held-out success; the k = 2 grid of agreement is 1/432.
EXACT = {
    1: ((35 / 48, 46 / 48), (35 / 48, 46 / 48), (0, 5 / 144)),
    2: ((6.5 / 12, 11 / 12), (6.5 / 12, 11 / 12), (0, 5 / 144)),
    4: ((5 / 12, 11 / 12), (4 / 12, 10 / 12), (0, 5 / 144)),
}


@pytest.mark.parametrize("k", [1, 2, 4])
def test_exact_bootstrap_of_the_tensor(k: int) -> None:
    one = measured(luna(), k)
    for metric, (low, high) in zip(("agreement", "all_zero", "held_out_success"), EXACT[k], strict=True):
        law = bootstrap_law(one.column(metric), common_denominator(blocks_of(8, k), 3))
        assert law is not None
        assert (law.quantile(0.025), law.quantile(0.975)) == (pytest.approx(low), pytest.approx(high))
    law = bootstrap_law(measured(luna(), 2).column("agreement"), 144)
    assert law is not None
    assert law.at_most(6.5 / 12) == pytest.approx(0.0277, abs=5e-5)  # why 10,000 resamples may print .583


#: Ends of agreement and of all-zero pairs printed in Table 47.
PRINTED = {
    1: ((0.729, 0.958), (0.729, 0.958)), 2: ((0.583, 0.917), (0.583, 0.917)), 4: ((0.417, 0.917), (0.333, 0.833)),
}  # fmt: skip


@pytest.mark.parametrize("seed", [1, 20260928])
def test_resampled_ends_of_the_tensor(seed: int) -> None:
    found = readout(luna(), Settings(seed=seed))
    steps = {1: 1 / 48, 2: 0.5 / 12, 4: 1 / 12}
    for one, ends in zip(found.measures, found.intervals, strict=True):
        for metric, printed in zip(("agreement", "all_zero"), PRINTED[one.k], strict=True):
            assert ends[metric][:2] == pytest.approx(printed, abs=steps[one.k] + 6e-4)
        assert ends["held_out_success"][:2] == pytest.approx((0, 0.035), abs=1 / 144)
    ranks = found.concordance
    assert [half_up(one.value or 0) for one in ranks] == ["-0.443", "-0.443", "-0.632"]
    assert [one.low for one in ranks] == [-1.0, -1.0, -1.0]
    assert [one.high for one in ranks] == pytest.approx([-0.089, -0.089, -0.357], abs=0.02)
    assert all(one.omitted == pytest.approx(0.11, abs=0.01) for one in ranks)


def test_agreement_of_the_tensor_is_called_all_zero_ties_first() -> None:
    first = warnings_of(readout(luna(), Settings(replicates=100)))[0]
    assert first.startswith("agreement comes from all-zero ties")
    assert "100 % (k = 1), 100 % (k = 2), 88 % (k = 4)" in first


def test_the_census_sums_to_24_pairs() -> None:
    assert sum(FIXTURES["origTerra_k4_pair_types"].values()) == 24
    assert TERRA["jaccard"] == pytest.approx(43 / 144)
    assert TERRA["uniform_choice"] == pytest.approx(56 / 288)
    assert TERRA["size_reference"] == pytest.approx(19 / 72)


def test_outward_rounding_is_an_option() -> None:
    low, high = (float(end) for end in clopper_pearson(3, 16, 0.05))
    assert (half_up(low), half_up(high)) == ("0.040", "0.456")  # printed, though called rounded outward
    assert outward(low, high) == ("0.040", "0.457")


HIGH, LOW = (Fraction(9, 10), Fraction(8, 10)), (Fraction(2, 10), Fraction(1, 10))


def test_the_same_sets_at_different_success_rates_for_every_n() -> None:
    for n in range(1, 65):
        high, low = symmetry.set_law(HIGH, n), symmetry.set_law(LOW, n)
        assert high == low
        assert sum(high.values()) == 1
        assert symmetry.expected_held_out(high, HIGH) - symmetry.expected_held_out(low, LOW) == Fraction(7, 10)


def test_laws_of_sets_at_small_n() -> None:
    expected: dict[int, tuple[Sequence[str], str, str]] = {
        1: (("0.18", "0.08", "0.74"), "0.5864", "0.855"),
        2: (("0.2988", "0.1248", "0.5764"), "0.43709344", "0.8587"),
        4: (("0.4414104", "0.1628544", "0.3957352"), "0.37797104534656", "0.8639278"),
    }
    for n, (chances, agreement, success) in expected.items():
        law = symmetry.set_law(HIGH, n)
        assert [law[(0,)], law[(1,)], law[(0, 1)]] == [Fraction(text) for text in chances]
        assert symmetry.expected_agreement(law) == Fraction(agreement)
        assert symmetry.expected_held_out(law, HIGH) == Fraction(success)


def test_the_whole_path_has_the_same_law() -> None:
    high = symmetry.path_law(HIGH, 8)
    assert len(high) == 1393
    assert high == symmetry.path_law(LOW, 8)
    assert symmetry.path_law(LOW, 8) != symmetry.path_law((LOW[1], LOW[0]), 8)  # the roles must be swapped


def test_where_the_symmetry_ends() -> None:
    costs = (Fraction(1, 20), Fraction(1, 10))
    for n in (1, 2):  # equal costs are sufficient, not necessary
        assert symmetry.set_law(HIGH, n, costs) == symmetry.set_law(LOW, n, costs)
    three = [Fraction(text) for text in ("0.9", "0.8", "0.5")]
    assert symmetry.set_law(three, 1) != symmetry.set_law([1 - p for p in reversed(three)], 1)


#: Chance of a valid certificate for p = (.80, .42, .42) at n, computed exactly; what Table 11 prints is within .0035.
CERTIFIED = {
    "hoeffding": {32: 0.0126, 64: 0.3052, 128: 0.9359, 256: 1.0},
    "clopper-pearson": {32: 0.1674, 64: 0.7347, 128: 0.9968},
}


@pytest.mark.parametrize("method", CERTIFIED)
def test_chance_of_a_certificate(method: str) -> None:
    for n, chance in CERTIFIED[method].items():
        found = preference.certification_chance((0.80, 0.42, 0.42), n, 0.05, method)
        assert found[0] == pytest.approx(chance, abs=1e-4)
    large = [preference.certification_chance((0.85, 0.45, 0.45), n)[0] for n in (32, 64, 128)]
    assert large == pytest.approx([0.0163, 0.4048, 0.976], abs=1e-4)
    assert large == pytest.approx([0.0174, 0.4054, 0.9785], abs=0.0035)  # printed
    assert max(preference.certification_chance((0.5, 0.5, 0.5), 64, 0.05)) < 1e-7


def test_smallest_certifiable_gap() -> None:
    found = [preference.smallest_gap(n) for n in (32, 128, 512)]
    assert found == pytest.approx([0.547, 0.2735, 0.1368], abs=1e-4)
