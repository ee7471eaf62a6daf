"""The stage digest: what it covers, what it does not, and that drift names every difference."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from protocol_factory import DELETE, Project, stage_data

from harness.canonical import digest_json
from harness.protocol.digest import load_stage, part_digests, stage_content
from harness.protocol.drift import Change, describe, drift
from harness.protocol.load import parse_protocol
from harness.yamlfile import load_yaml


def content(text: str | bytes, folder: Path) -> dict[str, Any]:
    path = folder / "small.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return stage_content(parse_protocol(load_yaml(path), path), {}, "")


def integral(value: Any) -> Any:
    """Whole floats as integers: RFC 8785 writes 60.0 as 60, Python does not."""
    if isinstance(value, dict):
        return {key: integral(child) for key, child in value.items()}
    if isinstance(value, list):
        return [integral(child) for child in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def test_digest_is_the_hash_of_what_is_documented(project: Project) -> None:
    project.write_stage()
    stage = load_stage("small")
    tasks = {name: task.parts for name, task in stage.tasks.items()}
    whole = stage_content(stage.protocol, tasks, stage.prompts.digest)
    assert set(whole) == {"protocol", "tasks", "prompts"}
    assert set(whole["tasks"]) == {"demo-1", "demo-2"}
    # Python's own JSON writer as the independent implementation.
    text = json.dumps(integral(whole), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert stage.digest == hashlib.sha256(text.encode()).hexdigest()
    for key in (
        "protocol.limits.wall_seconds", "protocol.runtimes.scripted.model.law.hazard", "protocol.tasks",
        "protocol.runtimes.scripted.model.laws.demo-2.malformed", "tasks.demo-2.hidden", "prompts",
    ):  # fmt: skip
        assert len(stage.parts[key]) == 16
    wall = hashlib.sha256(b"3600").hexdigest()[:16]
    assert stage.parts["protocol.limits.wall_seconds"] == wall


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), comment=st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"])))
def test_order_and_comments_do_not_count(tmp_path: Path, seed: int, comment: str) -> None:
    rng = random.Random(seed)

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shuffled(value[key]) for key in rng.sample(list(value), len(value))}
        return [shuffled(child) for child in value] if isinstance(value, list) else value

    lines = yaml.safe_dump(shuffled(stage_data()), sort_keys=False, default_flow_style=False).splitlines()
    spoken = [f"# {comment}"] + [f"{line}  # {comment}" if rng.random() < 0.5 else line for line in lines]
    assert content("\n".join(spoken), tmp_path) == content(yaml.safe_dump(stage_data()), tmp_path)


def test_bom_crlf_and_spelling_do_not_count(tmp_path: Path) -> None:
    text = yaml.safe_dump(stage_data({"description": "First.\nSecond.\n"}), default_style=None)
    plain = digest_json(content(text, tmp_path))
    assert digest_json(content(b"\xef\xbb\xbf" + text.encode(), tmp_path)) == plain
    assert digest_json(content(text.replace("\n", "\r\n"), tmp_path)) == plain
    assert digest_json(content(text.replace("wall_seconds: 3600", "wall_seconds: 3600.0"), tmp_path)) == plain


def test_null_and_absent_mean_the_same_but_not_inside_params(tmp_path: Path) -> None:
    def digest(**changes: Any) -> str:
        return digest_json(content(yaml.safe_dump(stage_data(changes)), tmp_path))

    params = "runtimes.luna.model.params.stop"
    assert digest(**{"limits.cost_usd": DELETE}) == digest(**{"limits.cost_usd": None})
    assert digest(**{params: DELETE}) != digest(**{params: None})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"limits.wall_seconds": 3599}, [("protocol.limits.wall_seconds", "changed")]),
        ({"description": "Two tasks, two repeats!"}, [("protocol.description", "changed")]),
        (
            {"runtimes.scripted.model.law.hazard.1.value": 0.11},
            [("protocol.runtimes.scripted.model.law.hazard", "changed")],
        ),
        ({"limits.cost_usd": 2.0}, [("protocol.limits.cost_usd", "added")]),
        ({"sets.both": DELETE}, [("protocol.sets.both", "removed")]),
        ({"tasks": ["demo-2", "demo-1"]}, [("protocol.tasks", "changed")]),
    ],
)
def test_drift_names_exactly_the_changed_keys(
    project: Project, changes: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    project.write_stage()
    frozen = load_stage("small")
    project.write_stage(changes)
    current = load_stage("small")
    assert current.digest != frozen.digest
    assert [(change.key, change.kind) for change in drift(frozen.parts, current.parts)] == expected


@pytest.mark.parametrize(
    ("file", "part"),
    [("hidden/test_hidden.py", "hidden"), ("issue.md", "issue"), ("mutations/half.patch", "repairs")],
)
def test_one_character_of_a_task_package_counts(project: Project, file: str, part: str) -> None:
    project.write_stage()
    frozen = load_stage("small")
    path = project.tasks / "demo" / "2" / file
    path.write_text(path.read_text()[:-1] + "#")
    current = load_stage("small")
    assert current.digest != frozen.digest
    assert drift(frozen.parts, current.parts) == [Change(f"tasks.demo-2.{part}", "changed")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a.b", '"a"']),
    lambda child: st.lists(child, max_size=2)
    | st.dictionaries(st.sampled_from(["a", "b", "a.b", '"a.b"', "", "é"]), child, max_size=3),
    max_leaves=6,
)
MAPPING = st.dictionaries(st.sampled_from(["a", "b", "a.b"]), JSON)


@given(MAPPING, MAPPING)
def test_parts_differ_exactly_when_contents_do(one: dict[str, Any], two: dict[str, Any]) -> None:
    same = digest_json(one) == digest_json(two)
    assert bool(drift(part_digests(one), part_digests(two))) is not same


def test_describe_names_a_few_and_counts_the_rest() -> None:
    changes = [Change(f"k{number}", "changed") for number in range(4)]
    assert describe(changes, most=2) == "k0 (changed), k1 (changed), and 2 more"
    assert "FROZEN.yaml" in describe([])
