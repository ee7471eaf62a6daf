"""The command readout, as a person and as a program reads it."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from made_cells import DATA
from made_panels import tensor_rows, tensor_table
from typer.testing import CliRunner, Result

from analysis.readout.tensor_file import read_panels
from harness.cli import analysing_readout
from harness.errors import RestartlabError

PROJECT = Path(__file__).resolve().parents[3]
DOCS = PROJECT / "docs" / "readout.md"
LUNA = str(DATA / "readout_luna.csv")
KEYS = [
    "design", "checkpoints", "actions", "repeats", "k", "pooled_success", "rank_concordance", "provenance", "warnings",
]  # fmt: skip
METRICS = [
    "agreement", "single", "multiple", "all_zero", "held_out_success", "common_action", "jaccard", "uniform_choice",
    "size_reference", "mean_size", "intervals",
]  # fmt: skip

app = typer.Typer(pretty_exceptions_enable=False)
analysing_readout.add_to(app)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def document(*words: str) -> Any:
    found = run(*words, "--json")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def refused(*words: str) -> RestartlabError:
    error = run(*words).exception
    assert isinstance(error, RestartlabError), error
    return error


def table(folder: Path, *parts: Any) -> str:
    file = folder / "tensor.csv"
    file.write_text(tensor_table([row for part in parts for row in part]), encoding="utf-8", newline="")
    return str(file)


def test_the_table_is_the_golden_tensor() -> None:
    (panel,) = read_panels(Path(LUNA))
    golden = json.loads((DATA / "readout_fixtures.json").read_text(encoding="utf-8"))["Luna"]["tensor"]
    assert np.array_equal(panel.select, np.array(golden))


def test_document() -> None:
    found = document(LUNA)
    assert list(found) == KEYS
    assert (found["design"], found["checkpoints"], found["actions"], found["repeats"]) == ("split", 12, 3, 8)
    assert list(found["k"]) == list(found["rank_concordance"]) == ["1", "2", "4"]
    for values in found["k"].values():
        assert list(values) == METRICS
        assert list(values["intervals"]) == METRICS[:-1]
    assert found["k"]["4"]["agreement"] == pytest.approx(2 / 3)
    assert found["pooled_success"] == pytest.approx(7 / 288)
    assert found["provenance"] is None
    assert found["warnings"][0].startswith("agreement comes from all-zero ties")


def test_exact_ends_and_other_pairs() -> None:
    exact = document(LUNA, "--exact", "--k", "2")
    assert exact["k"]["2"]["intervals"]["agreement"] == pytest.approx([6.5 / 12, 11 / 12])
    every = document(LUNA, "--design", "all_pairs", "--k", "4", "--replicates", "100")
    assert every["design"] == "all_pairs"
    assert every["k"]["4"]["agreement"] != exact["k"]["2"]["agreement"]


def test_the_first_lines_say_where_agreement_comes_from_and_the_four_stand_together() -> None:
    lines = run(LUNA).stdout.splitlines()
    assert lines[0] == "luna: 12 checkpoints x 3 actions x 8 repeats (retry, verify, replace), reconstructed"
    assert lines[1].startswith("WARNING: agreement comes from all-zero ties: every action scored 0 in both blocks in")
    four = next(place for place, line in enumerate(lines) if line.split()[:1] == ["agreement"])
    names = [re.split(r" {2,}", line.strip())[0] for line in lines[four : four + 4]]
    assert names == ["agreement", "all-zero pairs", "held-out success", "pooled success"]
    assert "0.667 [0.417, 0.917]" in lines[four]
    assert "0.583 [0.333, 0.833]" in lines[four + 1]
    assert not re.search(r"\b(tie|tied)\b", "\n".join(lines))


def test_runtimes_are_never_pooled(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    parts = [tensor_rows(rng.integers(0, 2, (3, 3, 4)), runtime=name) for name in ("sol", "terra")]
    file = table(tmp_path, *parts)
    text = run(file, "--replicates", "100").stdout
    assert text.index("sol: 3 checkpoints") < text.index("terra: 3 checkpoints")
    assert "agreement-guided, k=1" in text
    error = refused(file, "--json")
    assert error.exit_code == 2
    assert "2 panels, which are never pooled" in str(error) and "choose one of: sol, terra" in str(error)
    assert document(file, "--runtime", "terra", "--replicates", "100")["checkpoints"] == 3


def test_public_score_selects_and_strict_one_judges(tmp_path: Path) -> None:
    select = np.random.default_rng(2).random((4, 3, 8))
    rows = [row | {"evaluate": int(row["select"] > 0.8), "stratum": "ab"[int(row["checkpoint"][1]) % 2],
                   "provenance": "native_verifier_observed"} for row in tensor_rows(select)]  # fmt: skip
    file = table(tmp_path, rows)
    public, strict = document(file), document(file, "--score", "evaluate")
    assert public["k"]["1"]["agreement"] != strict["k"]["1"]["agreement"]
    assert public["pooled_success"] == strict["pooled_success"] == pytest.approx((select > 0.8).mean())
    text = run(file).stdout
    assert "within 2 strata" in text
    assert "held-out score" in text
    assert "the evaluator's score, costs taken off" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([LUNA, "--k", "5"], "--k: two blocks of 5 repeats do not fit into 8"),
        ([LUNA, "--k", "one"], "--k: 'one' is no list"),
        ([LUNA, "--design", "halves"], "--design: 'halves' is not a design"),
        ([LUNA, "--score", "public"], "--score: 'public' is not a score"),
        ([LUNA, "--costs", "retry"], "--costs: 'retry' is no penalty"),
        ([LUNA, "--costs", "rerun=0.1"], "--costs: 'rerun' is not an action"),
        ([LUNA, "--resample", "tasks"], "--resample: 'tasks' is no unit"),
        ([LUNA, "--resample", "task"], "column task: is needed to resample tasks"),
        ([LUNA, "--scope", "group"], "column task: is needed to permute within groups"),
        ([LUNA, "--runtime", "sol"], "'sol' is not in"),
        ([LUNA, "--database", "x.db"], "--database: was given beside a file"),
        (["none.csv"], "none.csv: cannot be read"),
    ],
)
def test_refusals(words: list[str], said: str) -> None:
    error = refused(*words)
    assert error.exit_code == 2
    assert said in str(error)


def test_a_hole_is_refused_by_name(tmp_path: Path) -> None:
    rows = list(tensor_rows(np.zeros((2, 3, 4)), runtime="luna"))
    del rows[7]
    error = refused(table(tmp_path, rows), "--json")
    assert "checkpoint c0, action verify, repeat 3 of luna is missing" in str(error)


def test_report_folder(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "report"
    found = run(LUNA, "-o", str(out))
    assert found.exit_code == 0, found.output
    assert f"open {out}/report.html" in found.stdout
    files = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert {"report.html", "report.md", "report.json", "tensor.csv", "manifest.json"} < set(files)
    first = {name: (out / name).read_bytes() for name in files}
    assert run(LUNA, "-o", str(out)).exit_code == 0
    assert {name: (out / name).read_bytes() for name in files} == first
    (again,) = read_panels(out / "tensor.csv")
    assert np.array_equal(again.select, read_panels(Path(LUNA))[0].select)
    (out / "report.md").write_text("mine")
    assert "report.md was changed" in str(refused(LUNA, "-o", str(out)))


def test_the_example_of_the_docs_is_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"```console\n\$ restartlab (.*?)\n(.*?)\.\.\.\n```", DOCS.read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(PROJECT)
    command, shown = block
    assert len(shown.splitlines()) > 8
    assert run(*command.split()[1:]).stdout.startswith(shown)
    exact = document(LUNA, "--exact")["k"]["2"]["intervals"]["agreement"][0]
    assert f"is {exact:.3f} with `--exact`" in DOCS.read_text("utf-8")


def test_the_python_of_the_docs_says_what_it_says() -> None:
    found = doctest.testfile(str(DOCS), module_relative=False, encoding="utf-8")
    assert (found.attempted, found.failed) == (12, 0)
