"""Trajectories come back as they were written, whatever an agent or a provider puts into them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from harness.recorder import Recorder, action_flags, decode_output, encode_output, read_trajectory
from harness.sandbox.interface import Result
from verifiers.verdict import Verdict

#: All of Unicode, halves of surrogate pairs included.
TEXT = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
each_example_its_own_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def written(path: Path, *facts: dict[str, Any]) -> list[dict[str, Any]]:
    path.unlink(missing_ok=True)
    with Recorder(path) as recorder:
        for one in facts:
            recorder.write("message", **one)
    return list(read_trajectory(path.read_bytes()))


@given(st.binary(max_size=200))
def test_output_is_kept_to_the_byte(output: bytes) -> None:
    encoded = encode_output(output)
    assert decode_output(json.loads(json.dumps(encoded))) == output
    assert ("output" in encoded) or not output.isascii()


@given(st.binary(max_size=60), TEXT, st.integers(-1, 255))
@each_example_its_own_file
def test_actions_come_back(tmp_path: Path, output: bytes, command: str, code: int) -> None:
    path = tmp_path / "trajectory"
    path.unlink(missing_ok=True)
    result = Result(code, output, 0.25, timed_out=True, limit="seconds", truncated_bytes=7, background_left=True)
    with Recorder(path) as recorder:
        recorder.action(3, 1, command, result)
        recorder.verdict(3, 1, "a" * 64, Verdict("fail", "b" * 64, {"test_x": command}, detail=command, cached=True))
    action, verdict = read_trajectory(path.read_bytes())
    assert decode_output(action) == output
    assert (action["type"], action["call"], action["action"], action["command"]) == ("action", 3, 1, command)
    assert (action["returncode"], action["limit"], action["truncated_bytes"]) == (code, "seconds", 7)
    assert action["background_left"] is True
    assert (verdict["type"], verdict["state"], verdict["cached"]) == ("verdict", "fail", True)
    assert verdict["layer"] == "a" * 64
    assert (verdict["detail"], verdict["tests"]) == (command, {"test_x": command})


@given(st.lists(st.dictionaries(st.just("message"), JSON, min_size=1), max_size=4))
@each_example_its_own_file
def test_messages_come_back_one_a_line(tmp_path: Path, facts: list[dict[str, Any]]) -> None:
    assert written(tmp_path / "trajectory", *facts) == [{"type": "message", **one} for one in facts]
    assert (tmp_path / "trajectory").read_bytes().count(b"\n") == len(facts)


@given(st.lists(TEXT, min_size=1, max_size=3), st.data())
@each_example_its_own_file
def test_a_cut_costs_the_cut_line_only(tmp_path: Path, texts: list[str], data: st.DataObject) -> None:
    path = tmp_path / "trajectory"
    whole = written(path, *({"message": text} for text in texts))
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    assert list(read_trajectory(content[:cut])) == whole[: content[:cut].count(b"\n")]


class Response(BaseModel):
    text: str


class Hostile:
    """What a provider's library may hand over: it cannot be dumped."""

    def model_dump(self, **_: object) -> object:
        raise TypeError("cannot be serialised")

    def __repr__(self) -> str:
        return "<hostile>"


def test_objects_that_json_does_not_know_do_not_cost_the_line(tmp_path: Path) -> None:
    loop: list[Any] = []
    loop.append(loop)
    found = written(
        tmp_path / "trajectory",
        {"message": Response(text="kept")}, {"message": Hostile()}, {"message": {1, 2}}, {"message": b"\xff"},
        {"message": {("a", "tuple"): 1, None: 2, 3: 4}}, {"message": loop}, {"message": math.nan}, {"message": "last"},
    )  # fmt: skip
    assert len(found) == 8
    assert found[0]["message"] == {"text": "kept"}
    assert found[1]["message"] == "<hostile>"
    assert found[7]["message"] == "last"


def test_a_line_is_on_its_way_to_the_disk_once_write_returns(tmp_path: Path) -> None:
    path = tmp_path / "below" / "trajectory"
    recorder = Recorder(path)
    recorder.write("start", attempt="a")
    assert [line["attempt"] for line in read_trajectory(path.read_bytes())] == ["a"]
    recorder.close()
    with Recorder(path) as again:  # appends
        again.write("end")
    assert [line["type"] for line in read_trajectory(path.read_bytes())] == ["start", "end"]


@pytest.mark.parametrize("data", [b"", b"\n", b"null\n", b"[1]\n", b"{\n", b"\xff\n", b'{"type": "x"}'])
def test_what_is_no_line_is_left_out(data: bytes) -> None:
    assert list(read_trajectory(data)) == []
    assert list(read_trajectory(data + b"\n" + b'{"type": "end"}\n'))[-1] == {"type": "end"}


def test_flags_are_the_same_from_a_result_and_from_its_line(tmp_path: Path) -> None:
    """A try that was cut off keeps what its actions noted, as a finished one does."""
    result = Result(-1, b"", 0.5, timed_out=True, limit="seconds", truncated_bytes=7, background_left=True)
    with Recorder(tmp_path / "t.jsonl") as recorder:
        recorder.action(1, 0, "true", result)
    (line,) = read_trajectory((tmp_path / "t.jsonl").read_bytes())
    assert action_flags(line) == action_flags(vars(result)) == {
        "limit": "seconds", "truncated_bytes": 7, "background_left": True,
    }  # fmt: skip
    assert action_flags(vars(Result(0, b"", 0.1))) == {}
