"""The part of a report on unions of failed patches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from made_study import odd_study

from analysis.branches import source_pairs
from analysis.figures.catalogue import figures_of
from analysis.figures.reuse import parts_of
from analysis.report.blocks import Table
from analysis.report.document import report_document
from analysis.report.page import page_of

#: Table 10 of the paper, as far as its text gives it: 51 of 162 pairs are novel and clean, 19 of them verified.
SOURCES = (10, 10, 9, 9)
NOVEL, VERIFIED = (0, 20, 16, 15), (0, 8, 8, 3)


def composed() -> dict[str, Any]:
    tasks: list[dict[str, Any]] = [
        {"runtime": "luna", "task": f"t{n}", "sources": sources, "contents": sources - (n == 1),
         "left_out": {"verified": 0, "empty": 0}, "pairs": source_pairs([sources]), "novel": NOVEL[n],
         "conflict": source_pairs([sources]) - NOVEL[n] - 2, "equal": 2, "verified": VERIFIED[n], "passed": 0,
         "calls": []}
        for n, sources in enumerate(SOURCES)
    ]  # fmt: skip
    names = ("sources", "contents", "pairs", "conflict", "equal", "novel", "verified", "passed")
    totals = {name: sum(row[name] for row in tasks) for name in names}
    return {"stage": "algebra", "digest": "d" * 64, "source_stage": "made", "rank": "fewest-lines", "most_per_task": 8,
            "origins": ["collected"], "tasks": tasks, "totals": [{"runtime": "luna", **totals}]}  # fmt: skip


def test_the_page_gives_the_counts_and_the_figure_their_parts(tmp_path: Path) -> None:
    study = odd_study(tmp_path)
    first, second = study.stages
    document = report_document(replace(study, stages=[replace(first, compositions=[composed()]), second]))
    assert document["reuse"][0]["totals"][0]["pairs"] == 162
    figures = figures_of(document)
    (drawing,) = figures["reuse"]
    assert "43 conflict, 2 no new content, 0 novel, not verified" in drawing.alt
    (section,) = [one for one in page_of(document, figures) if one.name == "reuse"]
    (table, lemma) = [block for block in section.blocks if isinstance(block, Table)]
    assert table.rows[-1] == ["all", "luna", "38", "37", "162", "103", "8", "51", "19", "0"]
    assert [row[2] for row in lemma.rows[:3]] == ["53.8", "48.3", "18.9"]
    assert all(sum(parts_of(row).values()) == row["pairs"] for row in document["reuse"][0]["tasks"])


def test_a_report_without_unions_says_nothing_of_them(tmp_path: Path) -> None:
    document = report_document(odd_study(tmp_path))
    assert document["reuse"] == []
    assert all(one.name != "reuse" for one in page_of(document, figures_of(document)))
