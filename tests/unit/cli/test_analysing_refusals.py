"""What a newcomer gets wrong: exit code 2, and a message that names file or option, value and mend."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from made_cells import DATA
from typer.testing import CliRunner

from harness.canonical import digest_bytes
from harness.cli.app import app
from harness.errors import RestartlabError
from harness.store.controller import Controller
from harness.store.records import Attempt, TryResult
from harness.store.store import Store

EVENTS = ("--events", str(DATA / "timing_attempts.csv"))
LUNA = ("pilot30", *EVENTS, "--runtime", "luna")
AUDIT = ("audit", *LUNA, "--budget", "30")
REPLAY = ("replay", *LUNA, "--budget", "30")


def answer(*words: str) -> tuple[int, str]:
    """Exit code and what is said on standard error; nothing may be on standard output."""
    result = CliRunner().invoke(app, list(words))
    assert result.stdout == ""
    if isinstance(result.exception, RestartlabError):
        return result.exception.exit_code, str(result.exception)
    assert isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("audit", *EVENTS, "--budget", "30", "--times", "8", "pilot"), r"--stages: 'pilot' is not in .*pilot30"),
        ((*AUDIT, "--times", "8", "--method", "fihser"), "--method: unknown method 'fihser'.*mend: .*fisher"),
        ((*AUDIT, "--times", "8", "--sampling", "one"), "--sampling: unknown sampling 'one'.*mend: .*one-pool"),
        ((*AUDIT, "--times", "8,8"), r"--times: \[8, 8\] holds a call twice.*mend: "),
        ((*AUDIT, "--times", "30"), "--times: time 30 leaves no decision under budget 30.*mend: .* 1 to 29"),
        ((*AUDIT, "--times", "8", "--alpha", "2"), "--alpha: 2.0 is not between 0 and 1.*mend: "),
        ((*AUDIT, "--times", "8", "--family", "3"), "--family: a family of 3 .*mend: state at least 7"),
        ((*AUDIT, "--times", "8", "--effect", "2,1", "--json"), "--effect: '2,1' is not 2 fractions.*mend: "),
        ((*AUDIT[:-1], "40", "--times", "8"), "--budget: 40 exceeds the horizon 30 .*mend: .* at most 30"),
        ((*AUDIT[:-1], "1", "--times", "8"), "'--budget'.*2"),
        ((*AUDIT, "--times", "8", *EVENTS), "timing_attempts.csv: is given twice.*mend: "),
        ((*REPLAY, "--cutoffs", "99999999999999999999"), "--cutoffs: '9+' is not a list of calls.*mend: "),
        ((*REPLAY, "--cutoffs", "4:999999"), "--cutoffs: '4:999999' is not a list of calls.*mend: "),
        ((*REPLAY, "--schedule", "single", "--cutoffs", "4"), "--cutoffs: are not of --schedule single.*mend: "),
        ((*REPLAY, "--schedule", "luby", "4"), "--stages: '4' is not in .*mend: "),
        ((*REPLAY[:-1], "999999999", "--cutoffs", "8"), "'--budget'.*100000"),
        (("replay", *LUNA, "--budget", "60", "--cutoffs", "40"), "fixed cutoff 40 .*horizon is 30.*mend: "),
        (("power", "--design", "pool"), "--design: unknown design 'pool'.*mend: "),
        (("power", "--p", "0.5", "--q", "0.5"), "--p, --q: both 0.5: there is no direction.*mend: "),
        (("power", "--power", "2"), "--power: 2.0 is not between.*mend: "),
        (("power", "--n", "0"), "'--n'.*1"),
        (("samples", "--epsilon", "2"), "--epsilon: 2.0 is not between 0 and 1.*mend: "),
        (("samples", "--n", "-4"), "--n: -4 attempts.*mend: "),
        (("coverage", "--times", "40"), r"--times: \[40\] leave no decision under budget 30.*mend: .* 1 to 29"),
        (("coverage", "--seed", "-1"), "'--seed'.*0"),
        (("coverage", "--budget", "1"), "'--budget'.*2"),
        (("value", "--q", "2", "--p", "1", "--tau", "1", "--phi", "1"), "--q: 2.0 is not a probability.*mend: "),
        (
            ("value", *LUNA, "--alarms", "a.csv", "--budget", "30", "--times", "8", "--threshold", "nan"),
            "--threshold: nan is not a finite number.*mend: ",
        ),
        (
            ("value", *LUNA, "--alarms", "gone.csv", "--budget", "30", "--times", "8"),
            "gone.csv: cannot be read.*mend: ",
        ),
        (("value", "--seed", "-1"), "'--seed'.*0"),
    ],
)
def test_a_message_names_option_value_and_mend(words: tuple[str, ...], said: str) -> None:
    code, text = answer(*words)
    assert code == 2
    # Boxes and line breaks of the option parser are its own.
    plain = " ".join(text.replace("│", " ").split())
    assert re.search(said, plain), plain


def test_a_header_without_rows_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "empty.csv"
    file.write_text((DATA / "timing_attempts.csv").read_text().split("\n")[0] + "\n")
    code, text = answer("replay", "--events", str(file), "--budget", "30")
    assert (code, text.split("\n")[0]) == (2, f"{file}: there are no rows")


def test_a_refused_import_makes_no_database(tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text((DATA / "timing_attempts.csv").read_text().replace("verified", "solved", 1))
    code, text = answer("import", str(file), "--database", str(tmp_path / "facts.db"))
    assert code == 2
    assert f"{file}, row 2, column event: 'solved' is not an event" in text
    assert not (tmp_path / "facts.db").exists()


def test_an_export_to_nowhere_is_refused(tmp_path: Path) -> None:
    place = ("--database", str(tmp_path / "facts.db"))
    assert CliRunner().invoke(app, ["import", EVENTS[1], *place]).exit_code == 0
    code, text = answer("export", "pilot30", *place, "-o", str(tmp_path / "none" / "x.csv"))
    assert code == 2
    assert "x.csv: cannot be written (No such file or directory)" in text


def test_power_that_every_method_refuses_is_negative() -> None:
    words = ["power", "--design", "one-pool", "--p", "0.9", "--q", "0.1", "--live", "1"]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, RestartlabError)
    assert result.exception.exit_code == 1
    assert "not possible in one pool" in result.stdout


PLAN = {"budget": 30, "times": [8, 16], "cutoffs": [15, 30], "alpha": 0.05, "method": "betting"}


@pytest.mark.parametrize(("method", "plan"), [("betting", "protocol"), ("clopper-pearson", "exploratory")])
def test_cells_without_a_result_yet_count_in_the_family(tmp_path: Path, method: str, plan: str) -> None:
    """Two tasks planned, one of them finished: the family stays that of the plan, and an early look is told."""
    place = tmp_path / "facts.db"
    digest = digest_bytes(b"stage")
    attempts = [
        Attempt(
            id=digest_bytes(f"{task} {repeat}".encode()), stage="early", digest=digest, task=task, runtime="scripted",
            arm="baseline", repeat=repeat, horizon=30, origin="synthetic",
        )
        for task in ("one", "two") for repeat in (1, 2)
    ]  # fmt: skip
    with Store.open(place) as store:
        store.register_stage("early", digest, {"protocol": {"analysis": PLAN | {"method": method}}})
        store.plan(attempts)
        for one in attempts[:2]:
            result = TryResult("verified", 9, calls=9, wall_s=1.0, action=0, cost_usd=0.0)
            store.finish_try(store.start_try(one.id, Controller.current(), {}), result)
    result = CliRunner().invoke(app, ["audit", "early", "--database", str(place), "--json"])
    found = json.loads(result.stdout)
    assert (found["family"], len(found["comparisons"]), found["plan"]) == (4, 2, plan)
    assert "2 of 4 attempts are not finished: an early look" in result.stderr
    assert ("not the planned audit" in result.stderr) == (plan == "exploratory")
