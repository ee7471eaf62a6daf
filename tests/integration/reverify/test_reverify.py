"""Recorded attempts on the tiny task, executed again for real: judged on the workspace, whatever the agent did."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from recordings import BREAK, REPAIR, SUBMIT, Step, atif, inspect_log, mini_1, mini_1_1, swe_agent, write
from tiny_lab import PROJECT, TinyLab

from harness.store.store import Store

pytestmark = pytest.mark.needs_bwrap

SCHEMA = json.loads((PROJECT / "docs" / "schemas" / "reverify.json").read_text("utf-8"))


def reverify(lab: TinyLab, *arguments: str, code: int = 0) -> dict[str, Any]:
    """The document, checked against its schema."""
    done = lab.run("reverify", *arguments, "--json")
    assert done.returncode == code, done.stderr
    assert done.stdout.count("\n") == 1
    document: dict[str, Any] = json.loads(done.stdout)
    Draft202012Validator(SCHEMA).validate(document)
    return document


def one(lab: TinyLab, data: Any, name: str = "a.traj.json") -> dict[str, Any]:
    """The only attempt of a document on one trajectory."""
    (attempt,) = reverify(lab, str(write(lab.root / "traj" / name, data)))["attempts"]
    return attempt


def facts(lab: TinyLab, attempt: str) -> Any:
    """What the store holds of the last try of an attempt."""
    with Store.open(lab.state / "restartlab.db", create=False) as store:
        return store.attempt(attempt).tries[-1]


def events(lab: TinyLab, attempt: str) -> list[tuple[str, int]]:
    found = facts(lab, attempt).facts["outcome"]["reverify"]["events"]
    return [(event["kind"], event["call"]) for event in found]


def test_first_pass_loss_and_regain(lab: TinyLab) -> None:
    steps = [("ls", 0, "README\ntinypkg\n"), (REPAIR, 0, ""), "malformed", (BREAK, 0, ""), (REPAIR, 0, ""),
             (SUBMIT, 0, "x")]  # fmt: skip
    attempt = one(lab, mini_1(steps))
    assert attempt["first_pass_call"] == 2
    assert (attempt["unpassed_at"], attempt["repassed_at"], attempt["final_pass"]) == (4, 5, True)
    assert (attempt["calls"], attempt["calls_after_first_pass"]) == (6, 4)
    assert attempt["cost_after_first_pass"] == pytest.approx(0.04)
    assert attempt["fidelity"] == {"returncode": 1.0, "exact": 0.8, "masked": 0.8, "first_divergence": 6}
    tried = facts(lab, attempt["attempt"])
    assert (tried.facts["event"], tried.facts["call"], tried.facts["calls"]) == ("verified", 2, 6)
    assert tried.facts["outcome"]["reverify"]["unpassed"] == "transient"


def test_a_pass_that_is_destroyed_for_good(lab: TinyLab) -> None:
    attempt = one(lab, mini_1([(REPAIR, 0, ""), (BREAK, 0, ""), (SUBMIT, 0, "")]))
    assert (attempt["first_pass_call"], attempt["unpassed_at"], attempt["final_pass"]) == (1, 2, False)
    said = facts(lab, attempt["attempt"]).facts["outcome"]["reverify"]
    assert (said["unpassed"], said["final_state"]) == ("final", "fail")


HARD: dict[str, list[Step]] = {
    "edits tests": [("echo 'def test_x(): assert 0' >> tinypkg/tests/test_core.py", 0, "")],
    "commits": [("git add -A && git commit -qm fix", 0, "")],
    "stashes and pops": [("git stash", 1, ""), ("git stash pop", 1, "")],
    "deletes .git": [("rm -rf .git", 0, "")],
    "writes binary files": [("head -c 100 /dev/urandom > tinypkg/blob.bin", 0, "")],
    "writes CRLF": [("sed -i 's/$/\\r/' tinypkg/core.py", 0, "")],
    "changes modes": [("chmod 755 tinypkg/core.py && chmod 600 README", 0, "")],
    "leaves background processes": [("(sleep 300; rm -rf tinypkg) > /dev/null 2>&1 & echo on", 0, "on\n")],
    "makes links and odd names": [("ln -s /etc/passwd link && touch $'odd\\nname' && mkdir -p a/.git", 0, "")],
    "prints while tested": [("sed -i '1i print(chr(10)*3, \"test_x ok\")' tinypkg/core.py", 0, "")],
}


@pytest.mark.slow
def test_the_workspace_is_judged_not_a_patch(lab: TinyLab) -> None:
    for what, steps in HARD.items():
        write(lab.root / "traj" / f"{what}.json", mini_1([(REPAIR, 0, ""), *steps, (SUBMIT, 0, "")]))
    attempts = reverify(lab, str(lab.root / "traj"), "--min-fidelity", "0")["attempts"]
    assert len(attempts) == len(HARD)
    for attempt in attempts:
        what = facts(lab, attempt["attempt"]).facts["environment"]["source"].removesuffix(".json")
        assert (attempt["first_pass_call"], attempt["final_pass"]) == (1, True), what
        stash = (2, 3) if what == "stashes and pops" else (None, None)
        assert (attempt["unpassed_at"], attempt["repassed_at"]) == stash, what


def test_a_hard_reset_takes_the_repair_away(lab: TinyLab) -> None:
    attempt = one(lab, mini_1([(REPAIR, 0, ""), ("git reset -q --hard", 0, ""), (SUBMIT, 0, "")]))
    assert (attempt["first_pass_call"], attempt["unpassed_at"], attempt["final_pass"]) == (1, 2, False)


def test_a_broken_import_is_no_pass(lab: TinyLab) -> None:
    attempt = one(lab, mini_1([("echo 'def (' > tinypkg/core.py", 0, ""), (SUBMIT, 0, "")]))
    assert attempt["first_pass_call"] is None and attempt["final_pass"] is False
    tried = facts(lab, attempt["attempt"]).facts
    assert tried["outcome"]["reverify"]["final_state"] == "broken_import"
    assert (tried["event"], tried["reason"]) == ("terminal", "unverified_submission")


def test_what_is_noted_beside_the_verdict(lab: TinyLab) -> None:
    steps: list[Step | str] = [
        ("rm README nothing", 1, ""), ("pip install numpy", 0, "ok"), ("no-such-tool", 0, "fine"),
        ("sleep 0", "timeout", ""), (SUBMIT, 0, ""),
    ]  # fmt: skip
    attempt = reverify(lab, str(write(lab.root / "t" / "a.json", mini_1(steps))), "--min-fidelity", "0")["attempts"][0]
    kinds = events(lab, attempt["attempt"])
    for expected in (("tracked_file_deleted", 1), ("env_changed", 2), ("network", 2), ("missing_tool", 3),
                     ("timeout", 4)):  # fmt: skip
        assert expected in kinds


def test_low_fidelity_excludes_with_its_reason(lab: TinyLab) -> None:
    data = mini_1([(REPAIR, 1, ""), ("true", 1, ""), (SUBMIT, 0, "")])
    place = str(write(lab.root / "traj" / "a.json", data))
    (attempt,) = reverify(lab, place)["attempts"]
    assert attempt["excluded"] == "low_fidelity" and attempt["first_pass_call"] == 1
    again = reverify(lab, place)
    assert again["attempts"] == [attempt] and again["summary"]["excluded"] == 1
    tried = facts(lab, attempt["attempt"]).facts
    assert (tried["number"], tried["valid"], tried["event"]) == (1, False, "censored")
    assert "33%" in tried["outcome"]["detail"]


def test_formats_are_executed_alike(lab: TinyLab) -> None:
    folder = lab.root / "traj"
    write(folder / "a.traj.json", mini_1([(REPAIR, 0, ""), (SUBMIT, 0, "")]))
    write(folder / "b.traj.json", mini_1_1([[("ls", 0, "README\ntinypkg\n"), (REPAIR, 0, "")], [(SUBMIT, 0, "")]]))
    edit = {"command": "str_replace", "path": "core.py", "old_str": "n + 2", "new_str": "2 * n"}
    steps = [[("bash", {"command": "cd tinypkg"}, "")], [("str_replace_editor", edit, "edited")]]
    write(folder / "tiny-1.json", atif(steps, agent="terminus-2"))
    write(folder / "tiny-1.traj", swe_agent([("cd tinypkg", ""), (REPAIR.replace("tinypkg/", ""), ""), ("submit", "")]))
    (folder / "broken.traj.json").write_text("{")
    document = reverify(lab, str(folder), "--workers", "2", "--min-fidelity", "0", code=1)
    assert sorted(one["first_pass_call"] for one in document["attempts"]) == [1, 1, 2, 2]
    assert [one["file"] for one in document["summary"]["skipped"]] == ["broken.traj.json"]


def test_an_inspect_log_is_executed(lab: TinyLab) -> None:
    pytest.importorskip("inspect_ai")
    inspect_log(lab.root / "traj" / "l.eval", "tiny-1", [("ls", "README\ntinypkg\n"), (REPAIR, "")])
    (attempt,) = reverify(lab, str(lab.root / "traj"), "--min-fidelity", "0")["attempts"]
    assert (attempt["calls"], attempt["first_pass_call"], attempt["final_pass"]) == (3, 2, True)


def test_stored_attempts_flow_into_the_other_commands(lab: TinyLab) -> None:
    place = str(write(lab.root / "traj" / "a.json", mini_1([(REPAIR, 0, ""), (BREAK, 0, ""), (SUBMIT, 0, "")])))
    verdicts = lab.root / "v.csv"
    verdicts.write_text("instance_id,resolved\ntiny-1,true\n")
    document = reverify(lab, place, "--verdicts", str(verdicts))
    (attempt,) = document["attempts"]
    assert attempt["recorded_pass"] is True
    assert document["summary"]["differing"] == [attempt["attempt"]] and document["summary"]["unpassed_final"] == 1
    status = lab.run("status", "reverified", "--attempts")
    assert "1 of 1 finished: 1 verified" in status.stdout and "imported" in status.stdout
    shown = lab.run("show", attempt["attempt"][:12])
    assert "<== first pass" in shown.stdout and "arm re-executed" in shown.stdout
    exported = lab.run("export", "reverified")
    assert ",imported,tiny-1," in exported.stdout and "sed -i" not in exported.stdout
    audit = lab.run("audit", "reverified", "--budget", "3", "--times", "1")
    assert audit.returncode == 0, audit.stderr
    assert "at most 1 attempt a task" in audit.stdout and "nothing can be concluded" in audit.stdout
    assert "Below n = " in audit.stdout and "80 % power" in audit.stdout
    replay = lab.run("replay", "reverified", "--budget", "3", "--cutoffs", "1,3")
    assert replay.returncode == 0 and "imported" in replay.stdout and "re-executed" in replay.stdout


def test_other_rules_need_another_stage(lab: TinyLab) -> None:
    place = str(write(lab.root / "traj" / "a.json", mini_1([(SUBMIT, 0, "")])))
    reverify(lab, place)
    done = lab.run("reverify", place, "--min-fidelity", "0.5")
    assert done.returncode == 2 and "new stage name" in done.stderr
    assert reverify(lab, place, "--min-fidelity", "0.5", "--stage", "other")["summary"]["stage"] == "other"


@pytest.mark.slow
def test_an_interrupted_run_is_resumed(lab: TinyLab) -> None:
    folder = lab.root / "traj"
    for number in range(3):
        slow = [(REPAIR, 0, ""), (f"sleep 1.{number}", 0, "")] * 3
        write(folder / f"{number}.json", mini_1([*slow, (SUBMIT, 0, "")]))
    command = lab.command("reverify", str(folder), "--workers", "1", "--json")
    process = subprocess.Popen(command, env=lab.environment, cwd=lab.root, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    assert process.stderr is not None
    assert "1 of 3" in process.stderr.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 130
    document = reverify(lab, str(folder))
    assert [one["first_pass_call"] for one in document["attempts"]] == [1, 1, 1]
    counted = json.loads(lab.run("status", "reverified", "--json").stdout)
    assert (counted["planned"], counted["finished"], counted["excluded_tries"]) == (3, 3, 1)


def test_nothing_to_execute_is_refused(lab: TinyLab, tmp_path: Path) -> None:
    place = write(tmp_path / "t" / "x.json", mini_1([(SUBMIT, 0, "")], instance="nobody-knows"))
    done = lab.run("reverify", str(place))
    assert done.returncode == 2 and "neither a task nor an instance" in done.stderr
