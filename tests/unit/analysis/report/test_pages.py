"""Page, Markdown and figures of a report: complete, escaped, labelled, the same bytes every time."""

from __future__ import annotations

import html.parser
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from made_study import ODD, odd_study

from analysis.errors import InputError
from analysis.report.document import report_document
from analysis.report.folder import report_files

pytest.importorskip("matplotlib")

PROJECT = Path(__file__).resolve().parents[4]
SYNTHETIC = "SYNTHETIC: a scripted instrument, not a language model"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    study = odd_study(tmp_path_factory.mktemp("odd"))
    return report_files(report_document(study), study.table)


class Page(html.parser.HTMLParser):
    """Tags with their attributes, and the text of each table."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[str] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self._inside = True
            self.tables.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "table"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.tables[-1] += data


def test_page_is_self_contained_accessible_and_escaped(files: dict[str, bytes]) -> None:
    text = files["report.html"].decode()
    page = Page(text)
    names = [tag for tag, _ in page.tags]
    assert "script" not in names
    assert "<script>alert" not in text
    assert ODD.split()[0].replace("<", "&lt;").replace(">", "&gt;") in text
    for tag, attributes in page.tags:
        for name in ("src", "href"):
            value = attributes.get(name) or ""
            assert value.startswith(("data:", "#")) or not value, (tag, value)
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert len(images) == sum(name.endswith(".svg") for name in files)
    assert all(len(image["alt"] or "") > 80 for image in images)
    assert names.count("table") == names.count("caption") == len(page.tables)
    assert {"col", "row"} == {attributes["scope"] for tag, attributes in page.tags if tag == "th"}


def test_every_part_is_there(files: dict[str, bytes]) -> None:
    text = files["report.html"].decode()
    for part in ("stages", "outcomes", "completion", "policies", "audit", "failures", "cost", "open", "provenance"):
        assert f'<section id="{part}"' in text
    for words in (
        "attainable n",
        "dropped: lost tries",
        "failures: a lost try",
        "censored: a lost try",
        "0.30 + 1 unknown",
    ):
        assert words in text
    assert "<td>unknown</td>" in text


def test_synthetic_origin_is_on_every_table_and_figure_that_holds_such_data(files: dict[str, bytes]) -> None:
    page = Page(files["report.html"].decode())
    for table in page.tables:
        if "(synthetic)" in table:
            assert SYNTHETIC in table
    assert sum(SYNTHETIC in table for table in page.tables) >= 8
    alts = [attributes["alt"] or "" for tag, attributes in page.tags if tag == "img"]
    assert [alt for alt in alts if "scripted," in alt and SYNTHETIC not in alt] == []
    analytical = [alt for alt in alts if "Analytical: no data." in alt]
    assert len(analytical) == 1
    assert all("Origin of the data: " in alt for alt in alts if alt not in analytical)


def test_markdown_holds_the_same_and_no_name_becomes_markup(files: dict[str, bytes]) -> None:
    text = files["report.md"].decode()
    page = files["report.html"].decode()
    assert [line[3:] for line in text.split("\n") if line.startswith("## ")] == [
        part.partition("</h2>")[0].partition(">")[2] for part in page.split("<h2 ")[1:]
    ]
    assert "<script>" not in text.replace("\\<script\\>", "")
    assert SYNTHETIC in text
    tables = [line for line in text.split("\n") if line.startswith("|")]
    assert any("a\\|b" in line for line in tables)
    for name in (line.partition("](")[2].rstrip(")") for line in text.split("\n") if line.startswith("![")):
        assert name in files


def test_figures_are_pictures(files: dict[str, bytes]) -> None:
    for name, data in files.items():
        if name.endswith(".svg"):
            root = ET.fromstring(data)
            assert root.tag.endswith("svg")
            assert not [one for one in root.iter() if one.tag.endswith(("script", "image"))]
        if name.endswith(".png"):
            assert data.startswith(b"\x89PNG")


def test_data_document_of_the_folder_draws_the_same_figures(files: dict[str, bytes]) -> None:
    from analysis.figures.catalogue import figures_of

    again = figures_of(json.loads(files["report.json"]))
    drawings = {one.name: one.svg for part in again.values() for one in part}
    assert {name: files[f"figures/{name}.svg"] for name in drawings} == drawings


PROGRAM = """
import hashlib, sys
from pathlib import Path
from made_study import odd_study
from analysis.report.document import report_document
from analysis.report.folder import report_files
study = odd_study(Path(sys.argv[1]))
for name, data in report_files(report_document(study), study.table).items():
    print(hashlib.sha256(data).hexdigest(), name)
"""


def test_another_process_with_other_settings_writes_the_same_bytes(files: dict[str, bytes], tmp_path: Path) -> None:
    import hashlib

    settings = tmp_path / "matplotlibrc"
    settings.write_text("font.size: 20\naxes.facecolor: red\nsvg.hashsalt: other\n", encoding="utf-8")
    path = os.pathsep.join([str(PROJECT), str(PROJECT / "tests" / "support")])
    env = os.environ | {"PYTHONPATH": path, "MATPLOTLIBRC": str(settings), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    said = dict(reversed(line.split(maxsplit=1)) for line in done.stdout.splitlines())
    assert said == {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def test_without_matplotlib_the_mend_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    study = odd_study(tmp_path)
    document: Any = report_document(study)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    with pytest.raises(InputError, match=r"matplotlib.*\n.*requirements/report\.txt"):
        report_files(document, study.table)
