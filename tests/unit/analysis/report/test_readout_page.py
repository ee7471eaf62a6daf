"""The report of panels: every part is there, labelled and escaped, figures with words for those who do not see them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from analysis.figures.readout_catalogue import pages
from analysis.figures.readout_sets import PARTS, set_shares
from analysis.readout.best_sets import Rule
from analysis.readout.details import details_document
from analysis.readout.panel import Panel, panel_of
from analysis.readout.readout import Settings
from analysis.report.readout_files import readout_files

pytest.importorskip("matplotlib")

ODD = "<script>alert(1)</script>"


def panels() -> list[Panel]:
    rng = np.random.default_rng(6)
    made = []
    for name, rate in (("luna", 0.02), (ODD, 0.7)):
        scores = (rng.random((6, 3, 8)) < rate).astype(float)
        status = rng.integers(0, 3, scores.shape).astype(np.int8)
        panel = panel_of(scores, scores * 0 if name == ODD else None, actions=["retry", "verify", "replace"])
        made.append(replace(panel, runtime=name, origin="synthetic", provenance=status, keys=tuple("ababab"),
                            tasks=tuple("ttuuvv"), strata=tuple("smsmsm"), calls=scores + 2))  # fmt: skip
    return made


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return readout_files(details_document(panels(), Settings(replicates=200)), panels())


def test_every_part_is_there(files: dict[str, bytes]) -> None:
    text = files["report.html"].decode()
    for part in ("summary", "panel-1", "panel-2", "across", "provenance"):
        assert f'<section id="{part}"' in text
    for words in (
        "agreement comes from all-zero ties", "The four diagnostics", "Policies on held-out draws", "Release gates",
        "Sets of all actions within epsilon", "Agreement by what selects", "How episodes came to their score",
        "blocks with such an episode are left out", "Choosing between runtimes", "Certified at error 0.05",
        "rank concordance (Spearman)", "one of 2 keys",
    ):  # fmt: skip
        assert words in text, words
    assert text.index("agreement comes from all-zero ties") < text.index("The four diagnostics")
    assert "SYNTHETIC" in text
    assert "<script" not in text
    assert "<script" not in files["report.md"].decode().replace("\\<script", "")


def test_figures_are_whole_and_say_what_they_show(files: dict[str, bytes]) -> None:
    text = files["report.md"].decode()
    drawings = [name for name in files if name.endswith(".svg")]
    assert len(drawings) == 5
    for name in drawings:
        assert ET.fromstring(files[name]).tag.endswith("svg")
        assert files[name.replace(".svg", ".png")].startswith(b"\x89PNG")
        assert f"]({name})" in text
    assert "A row per policy. no intervention (0 episodes a decision): 0.0 %" in text


@pytest.mark.parametrize("costs", [{}, {"replace": 0.1}, {"retry": 0.1, "verify": 0.05}])
def test_parts_of_a_bar_are_all_pairs(costs: dict[str, float]) -> None:
    document = details_document(panels(), Settings(replicates=100, rule=Rule(costs=costs)))
    cheapest = sum(costs.get(name, 0.0) == min(costs.get(n, 0.0) for n in ("retry", "verify", "replace"))
                   for name in ("retry", "verify", "replace"))  # fmt: skip
    for panel in document["panels"]:
        for values in panel["k"].values():
            shares = set_shares(values, cheapest == 1)
            assert len(shares) == len(PARTS)
            assert sum(shares) == pytest.approx(1)
            assert shares[0] + shares[1] + shares[2] == pytest.approx(values["agreement"])


def test_bars_fill_one_figure_after_the_other() -> None:
    panels_ = [{"k": dict.fromkeys("124")} for _ in range(9)]
    assert [len(page) for page in pages(panels_, 10)] == [3, 3, 3]
    assert [len(page) for page in pages(panels_, 30)] == [9]
    assert pages([], 30) == []
