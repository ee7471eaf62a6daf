"""SWE-agent, ATIF and Inspect."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from recordings import atif, inspect_log, swe_agent, write

from harness.importers.detect import read_all
from harness.importers.record import Observation
from harness.importers.session import in_session
from harness.importers.tools import as_command, editor_command


def test_sweagent(tmp_path: Path) -> None:
    steps = [("ls -F", "a\n"), ("", "Your output was not formatted correctly"), ("open a.py", "[File: a.py]"),
             ("sleep 9", "EXECUTION TIMED OUT"), ("submit", "")]  # fmt: skip
    (record,) = read_all([write(tmp_path / "x__y-1.traj", swe_agent(steps))]).records
    assert (record.instance, record.shell, record.call_limit, record.total_usd) == ("x__y-1", "session", 75, 0.7)
    assert [len(call.actions) for call in record.calls] == [1, 0, 1, 1, 0]
    assert [call.parsed for call in record.calls] == [True, False, True, True, True]
    assert record.calls[0].actions[0].observation == Observation(None, "a\n")
    assert record.calls[2].actions[0].command is None and record.calls[2].actions[0].tool == "open"
    assert record.calls[3].actions[0].observation == Observation(None, "EXECUTION TIMED OUT", timed_out=True)


def test_atif_with_its_trial(tmp_path: Path) -> None:
    steps = [[("bash", {"command": "ls"}, "<returncode>0</returncode>\n<output>\na\n</output>"),
              ("browse", {"url": "x"}, "page")], []]  # fmt: skip
    write(tmp_path / "trial" / "agent" / "trajectory.json", atif(steps))
    trial = {"task_name": "org/x__y-2", "verifier_result": {"rewards": {"reward": 1.0}}, "exception_info": None}
    write(tmp_path / "trial" / "result.json", trial)
    found = read_all([tmp_path])
    (record,) = found.records
    assert (record.instance, record.passed, record.exit_status, record.format) == (
        "x__y-2", True, "submitted", "ATIF-v1.6",
    )  # fmt: skip
    first, second = record.calls[0].actions
    assert (first.command, first.observation) == ("ls", Observation(0, "a\n"))
    assert (second.command, second.tool) == (None, "browse")
    assert record.total_usd == 0.25 and record.calls[0].at == 1767225601.0
    assert [(one.file, one.damaged) for one in found.skipped] == [("trial/result.json", False)]


def test_atif_of_our_own_exports(tmp_path: Path) -> None:
    data = atif([[("bash", {"command": "false"}, "out")], []])
    data["extra"] = {"restartlab": {"task": "tiny-1"}}
    data["steps"][1]["observation"]["results"][0]["extra"] = {"returncode": 1}
    data["steps"][2] |= {"tool_calls": [], "extra": {"parsed": False}}
    (record,) = read_all([write(tmp_path / "trajectory.json", data)]).records
    assert record.instance == "tiny-1" and [call.parsed for call in record.calls] == [True, False]
    assert record.calls[0].actions[0].observation == Observation(1, "out")


def test_atif_without_a_task_is_named(tmp_path: Path) -> None:
    (skipped,) = read_all([write(tmp_path / "trajectory.json", atif([[]]))]).skipped
    assert skipped.damaged and "names no task" in skipped.reason


def test_inspect(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    inspect_log(tmp_path / "l.eval", "x__y-3", [("ls", "a\n")])
    (record,) = read_all([tmp_path]).records
    assert (record.instance, record.model, record.exit_status) == ("x__y-3", "m/x", "submitted")
    assert record.calls[0].actions[0].command == "ls"
    assert record.calls[0].actions[0].observation == Observation(None, "a\n")
    assert record.calls[1].actions == ()


def test_a_log_without_inspect_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    (tmp_path / "l.eval").write_bytes(b"PK")
    (skipped,) = read_all([tmp_path]).skipped
    assert skipped.damaged and "reader is not installed" in skipped.reason


def run(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, env={"HOME": str(folder),
                          "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"})  # fmt: skip


def test_the_editor_does_what_the_agent_asked_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    for arguments in (
        {"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "1 'x' $HOME"},
        {"command": "insert", "path": "a.txt", "insert_line": 1, "new_str": "mid"},
        {"command": "create", "path": "d/b.txt", "file_text": "äö\n"},
    ):
        command = as_command("str_replace_editor", arguments)
        assert command is not None and run(command, tmp_path).returncode == 0
    assert (tmp_path / "a.txt").read_bytes() == b"1 'x' $HOME\r\nmid\ntwo\r\n"
    assert (tmp_path / "d" / "b.txt").read_text("utf-8") == "äö\n"
    twice = as_command("str_replace_editor", {"command": "str_replace", "path": "a.txt", "old_str": "x", "new_str": ""})
    assert twice is not None and run(twice, tmp_path).returncode == 0
    missing = as_command("text_editor", {"command": "view", "path": "none"})
    assert missing is not None and run(missing, tmp_path).returncode == 1


def test_editor_lines_of_text_agents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x = 1\n")
    command = editor_command("str_replace_editor str_replace a --old_str 'x = 1' --new_str 'x = 2'")
    assert run(command, tmp_path).returncode == 0 and (tmp_path / "a").read_text() == "x = 2\n"
    assert editor_command("grep -r x .") == "grep -r x ."


def test_tools_without_a_shell_form_have_none() -> None:
    assert as_command("browser", {"url": "x"}) is None
    assert as_command("str_replace_editor", {"command": "undo_edit", "path": "a"}) is None
    assert as_command("shell", {"command": ["bash", "-lc", "ls | wc"]}) == "ls | wc"


def test_a_session_keeps_folder_variables_and_return_codes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert run(in_session("cd sub; export A=1; f() { echo f; }; false"), tmp_path).returncode == 1
    done = run(in_session('echo "$PWD $A"; f; exit 3'), tmp_path)
    assert (done.returncode, done.stdout.decode()) == (3, f"{tmp_path}/sub 1\nf\n")


def test_json_that_is_no_trajectory_stops_nothing(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [1])
    write(tmp_path / "b.json", {"x": 1})
    (tmp_path / "c.traj").write_text("{")
    (tmp_path / "notes.txt").write_text(json.dumps({}))
    found = read_all([tmp_path])
    assert found.records == ()
    assert {one.file: one.damaged for one in found.skipped} == {"a.json": False, "b.json": False, "c.traj": True}
