"""mini-swe-agent's formats give the same neutral record."""

from __future__ import annotations

from typing import Any

import pytest
from recordings import SUBMIT, mini_1, mini_1_1

from harness.errors import InputError
from harness.importers.miniswe import is_miniswe, read_miniswe
from harness.importers.record import Observation, Record


def read(data: dict[str, Any], source: str = "a.traj.json") -> Record:
    assert is_miniswe(data)
    return read_miniswe(data, source, "d" * 64)


def test_format_1() -> None:
    record = read(mini_1([("ls", 0, "a\nb\n"), "no fence at all", ("sleep 99", "timeout", ""), (SUBMIT, 0, "diff")]))
    assert [call.parsed for call in record.calls] == [True, False, True, True]
    first, refused, slow, last = record.calls
    assert first.actions[0].command == "ls"
    assert first.actions[0].observation == Observation(0, "a\nb\n")
    assert refused.actions == ()
    assert slow.actions[0].observation == Observation(None, None, timed_out=True)
    assert last.actions[0].observation == Observation(0, "diff", submission=True)
    assert (record.instance, record.model, record.agent) == ("tiny-1", "somebody/model-1", "mini-swe-agent-1.15.0")
    assert (record.exit_status, record.call_limit, record.command_seconds) == ("Submitted", 250, 60.0)
    assert record.total_usd == pytest.approx(0.04) and record.cost_after(1) == pytest.approx(0.03)
    assert first.at == 1_700_000_000


def test_unknown_costs_of_calls_leave_the_total() -> None:
    record = read(mini_1([("ls", 0, ""), (SUBMIT, 0, "")], cost=None))
    assert record.cost_after(1) is None and record.total_usd == pytest.approx(0.04)


def test_only_bash_fences_count_and_other_fences_do_not() -> None:
    data = mini_1([("cat > a.py <<'E'\nprint(1)\nE", 0, "")])
    data["messages"][2]["content"] = "First:\n```python\nprint(1)\n```\nthen\n```bash\nls -la\n```\n"
    assert read(data).calls[0].actions[0].command == "ls -la"
    data["messages"][2]["content"] += "```bash\npwd\n```"
    assert not read(data).calls[0].parsed


def test_an_elided_output_keeps_its_ends() -> None:
    data = mini_1([("ls", 0, "")])
    data["messages"][3]["content"] = (
        "<returncode>1</returncode>\n<warning>\nToo long.\n</warning><output_head>\nHEAD\n</output_head>\n"
        "<elided_chars>\n321 characters elided\n</elided_chars>\n<output_tail>\nTAIL\n</output_tail>"
    )
    assert read(data).calls[0].actions[0].observation == Observation(1, None, "HEAD", "TAIL", 321)


def test_an_output_that_holds_the_tags_is_whole() -> None:
    data = mini_1([("cat x", 0, "<output>\nz</output>\nend\n")])
    assert read(data).calls[0].actions[0].observation == Observation(0, "<output>\nz</output>\nend\n")


@pytest.mark.parametrize("tools", [True, False])
def test_format_1_1(tools: bool) -> None:
    steps = [[("ls", 0, "a\n"), ("false", 1, "")], "bad", [("sleep 99", "timeout", "")], [(SUBMIT, 0, "")]]
    record = read(mini_1_1(steps, tools=tools))
    assert [len(call.actions) for call in record.calls] == [2, 0, 1, 1]
    assert [call.parsed for call in record.calls] == [True, False, True, True]
    assert record.calls[0].actions[1].observation == Observation(1, "")
    assert record.calls[2].actions[0].observation == Observation(None, "", timed_out=True)
    assert record.calls[3].actions[0].observation == Observation(0, "S", submission=True)
    assert [call.cost_usd for call in record.calls] == [0.25, 0.5, 0.25, 0.25]


def test_what_stood_behind_a_submission_was_not_run() -> None:
    record = read(mini_1_1([[("touch a", 0, ""), (SUBMIT, 0, ""), ("rm -r .", 0, "")]]))
    assert [action.command for action in record.calls[0].actions] == ["touch a", SUBMIT]


def test_an_instance_is_read_from_the_name_of_the_file() -> None:
    data = mini_1([("ls", 0, "")])
    del data["instance_id"]
    assert read(data, "sympy__sympy-1.traj.json").instance == "sympy__sympy-1"


def test_damage_is_named() -> None:
    data = mini_1([("ls", 0, ""), ("pwd", 0, "")])
    with pytest.raises(InputError, match=r"trajectory_format: is of format '7'"):
        read(data | {"trajectory_format": "mini-swe-agent-7"})
    with pytest.raises(InputError, match="holds no reply"):
        read(data | {"messages": "none"})
    with pytest.raises(InputError, match="1 replies of 2 calls"):
        read(data | {"messages": data["messages"][:4]})
