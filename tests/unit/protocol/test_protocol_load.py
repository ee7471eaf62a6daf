"""Reading stage files: what is accepted, and every refusal with file, key and mend."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from protocol_factory import DELETE, Project, stage_data

from harness.errors import InputError
from harness.protocol.digest import load_stage
from harness.protocol.load import find_stage, load_protocol, stage_files

LAW = "runtimes.scripted.model.law"
LAWS = "runtimes.scripted.model.laws"
LUNA = "runtimes.luna.model"

#: change, key in the message, words in the message.
REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "typo": ({"repeets": 5}, "repeets", "unknown key"),
    "nested typo": ({"limits.walls": 1}, "limits.walls", "unknown key"),
    "typo in a law": ({f"{LAW}.malform": 0.1}, f"{LAW}.malform", "unknown key"),
    "typo in an override": ({f"{LAWS}.demo-2.x": 1}, f"{LAWS}.demo-2.x", "unknown key"),
    "typo in an endpoint": ({f"{LUNA}.temprature": 1.0}, f"{LUNA}.temprature", "unknown key"),
    "missing": ({"analysis.alpha": DELETE}, "analysis.alpha", "is missing"),
    "missing in a model": ({f"{LUNA}.name": DELETE}, f"{LUNA}.name", "is missing"),
    "schema": ({"schema": 2}, "schema", "2"),
    "kind": ({"kind": "collekt"}, "kind", "collekt"),
    "stage name": ({"stage": "Small_1"}, "stage", "Small_1"),
    "another stage": ({"stage": "large"}, "stage", "'large' is not the name of the file"),
    "unknown task": ({"tasks": ["demo-1", "demo-22"]}, "tasks.1", "unknown task 'demo-22'"),
    "bad task id": ({"tasks": ["../demo"]}, "tasks.0", "../demo"),
    "no task": ({"tasks": []}, "tasks", "at least 1"),
    "duplicate tasks": ({"tasks": ["demo-1", "demo-1"]}, "tasks", "'demo-1' is listed 2 times"),
    "rejected and taken": ({"selection.rejected.0.task": "demo-1"}, "selection.rejected.0.task", "among the tasks"),
    "duplicate arms": ({"arms": [{"name": "a"}, {"name": "a"}]}, "arms", "'a' is listed 2 times"),
    "no arm": ({"arms": []}, "arms", "at least 1"),
    "horizon 0": ({"horizon": 0}, "horizon", "greater than or equal to 1 (got 0)"),
    "horizon as text": ({"horizon": "30"}, "horizon", "valid integer"),
    "horizon as truth": ({"horizon": True}, "horizon", "valid integer"),
    "fraction of a call": ({"horizon": 30.5}, "horizon", "30.5"),
    "repeats 0": ({"repeats": 0}, "repeats", "(got 0)"),
    "negative seconds": ({"limits.wall_seconds": -1}, "limits.wall_seconds", "(got -1)"),
    "negative memory": ({"limits.memory_mb": -4096}, "limits.memory_mb", "(got -4096)"),
    "negative cost": ({"limits.cost_usd": -0.5}, "limits.cost_usd", "(got -0.5)"),
    "no command time": ({"limits.command_seconds": 0}, "limits.command_seconds", "greater than 0"),
    "negative wait": ({"retry.wait_seconds_max": -1}, "retry.wait_seconds_max", "(got -1)"),
    "NaN": ({"analysis.alpha": math.nan}, "analysis.alpha", "nan is not a finite number"),
    "infinity": ({"limits.wall_seconds": math.inf}, "limits.wall_seconds", "inf is not a finite number"),
    "NaN in params": ({f"{LUNA}.params.x": [{"y": -math.inf}]}, f"{LUNA}.params.x.0.y", "-inf is not a finite"),
    "huge integer": ({f"{LUNA}.params.x": 2**53}, f"{LUNA}.params.x", "beyond 2**53 - 1"),
    "alpha 1": ({"analysis.alpha": 1}, "analysis.alpha", "less than 1"),
    "hazard above 1": ({f"{LAW}.hazard.1.value": 1.5}, f"{LAW}.hazard.1.value", "(got 1.5)"),
    "negative chance": ({f"{LAW}.malformed": -0.1}, f"{LAW}.malformed", "(got -0.1)"),
    "override above 1": ({f"{LAWS}.demo-2.malformed": 2}, f"{LAWS}.demo-2.malformed", "(got 2)"),
    "hazard starts late": ({f"{LAW}.hazard.0.from": 2}, f"{LAW}.hazard", "call 1"),
    "hazard unsorted": ({f"{LAW}.hazard.1.from": 1}, f"{LAW}.hazard", "order them"),
    "override unsorted": ({f"{LAWS}.demo-2.hazard": [{"from": 3, "value": 0.1}]}, f"{LAWS}.demo-2.hazard", "call 1"),
    "no hazard": ({f"{LAW}.hazard": []}, f"{LAW}.hazard", "at least 1"),
    "law of another task": ({LAWS: {"demo-9": {"submit": 0.1}}}, f"{LAWS}.demo-9", "not a task"),
    "scale 0": ({"runtimes.scripted.model.scale": 0}, "runtimes.scripted.model.scale", "greater than 0"),
    "set of an unknown runtime": ({"sets.both": ["oracle", "nop"]}, "sets.both", "unknown runtime 'nop'"),
    "empty set": ({"sets.both": []}, "sets.both", "at least 1"),
    "a runtime twice in a set": ({"sets.both": ["oracle", "oracle"]}, "sets.both", "listed 2 times"),
    "set named as another runtime": ({"sets.oracle": ["scripted"]}, "sets.oracle", "a runtime is named 'oracle' too"),
    "default set not a set": ({"default_set": "oracle"}, "default_set", "'oracle' is not a set"),
    "default set missing": ({"default_set": DELETE}, "default_set", "is missing"),
    "unknown agent": ({"runtimes.oracle.agent": "sage"}, "runtimes.oracle.agent", "'sage'"),
    "unknown model kind": ({f"{LUNA}.kind": "psychic"}, LUNA, "psychic"),
    "model without kind": ({f"{LUNA}.kind": DELETE}, LUNA, "discriminator 'kind'"),
    "default without model": ({"runtimes.luna.model": DELETE}, LUNA, "takes local or litellm, not none"),
    "default with a law": ({"runtimes.scripted.agent": "default"}, "runtimes.scripted.model", "not scripted"),
    "scripted with an endpoint": ({"runtimes.luna.agent": "scripted"}, LUNA, "takes scripted, not litellm"),
    "oracle with a model": ({"runtimes.local.agent": "oracle"}, "runtimes.local.model", "takes none, not local"),
    "bad runtime name": ({"runtimes.Big One": {"agent": "nop"}}, "runtimes.Big One", "pattern"),
    "network": ({"sandbox.network": True}, "sandbox.network", "off in every phase"),
    "sandbox": ({"sandbox.kind": "chroot"}, "sandbox.kind", "chroot"),
    "cutoff above budget": ({"analysis.cutoffs": [4, 31]}, "analysis.cutoffs", "31 is above 30"),
    "time at budget": ({"analysis.times": [4, 30]}, "analysis.times", "30 is above 29"),
    "unsorted times": ({"analysis.times": [8, 4]}, "analysis.times", "not ascending"),
    "cutoff 0": ({"analysis.cutoffs": [0, 4]}, "analysis.cutoffs.0", "(got 0)"),
    "budget above horizon": ({"horizon": 29}, "analysis.budget", "30 is above the horizon 29"),
    "method": ({"analysis.method": "guess"}, "analysis.method", "guess"),
    "prompts": ({"agent.prompts": "mini-swe-agent/nothing"}, "agent.prompts", "unknown prompt configuration"),
    "prompts outside": ({"agent.prompts": "mini-swe-agent/../x"}, "agent.prompts", "unknown prompt configuration"),
    "absolute prompts": ({"agent.prompts": "/etc/hostname"}, "agent.prompts", "unknown prompt configuration"),
    "a parameter with its own key": ({f"{LUNA}.params.temperature": 1}, f"{LUNA}.params.temperature", "set elsewhere"),
    "a key that is no text": ({f"{LUNA}.params": {1: "x"}}, f"{LUNA}.params", "the key 1 is not text"),
    "temperature": ({f"{LUNA}.temperature": 3}, f"{LUNA}.temperature", "(got 3)"),
    "price": ({f"{LUNA}.price": {"input_per_million": -1, "output_per_million": 1}}, f"{LUNA}.price.input_per_m", "-1"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_file_key_and_mend(project: Project, name: str) -> None:
    changes, key, words = REFUSED[name]
    path = project.write_text(yaml.safe_dump(stage_data(changes)))
    before = sorted(project.protocols.iterdir())
    with pytest.raises(InputError) as caught:
        load_stage("small")
    text = str(caught.value)
    assert caught.value.exit_code == 2
    assert f"{path}: {key}" in text
    assert words in text
    assert caught.value.mend
    assert sorted(project.protocols.iterdir()) == before


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("raw", "key", "words"),
    [
        (BOMB.encode(), "line 2", "aliases"),
        (b"stage: small\ntitle: caf\xe9\n", "line 2", "0xe9 is not UTF-8"),
        (b"stage: small\nstage: small\n", "line 2", "stands twice"),
        (b"stage: [small\n", "line 2", "expected"),
        (b"[" * 5000, None, "nested too deeply"),
        (b"#" * (1 << 21), None, "over the limit"),
        (b"", None, "holds no keys"),
        (b"- small\n", None, "holds no keys"),
        (b"started: 2026-01-01\n", "started", "is a date"),
        (b'title: "\\uD800"\n', "title", "surrogate"),
    ],
)
def test_refused_bytes(project: Project, raw: bytes, key: str | None, words: str) -> None:
    path = project.write_text(raw)
    with pytest.raises(InputError) as caught:
        load_protocol("small")
    assert str(caught.value).startswith(f"{path}: {key}" if key else f"{path}: ")
    assert words in str(caught.value)
    assert caught.value.mend


@pytest.mark.parametrize("secret", ["sk-live-0123456789", "sk_live_0123456789"])
@pytest.mark.parametrize(
    ("path", "template", "key"),
    [
        ("credential", "{}", "credential"),
        ("api_base", "https://user:{}@example.org/v1", "api_base"),
        ("params", {"extra_headers": {"Authorization": "{}"}}, "params"),
        ("params", {"api_key": "{}"}, "params"),
    ],
)
def test_a_pasted_key_is_refused_and_not_shown(
    project: Project, secret: str, path: str, template: Any, key: str
) -> None:
    value = yaml.safe_load(yaml.safe_dump(template).replace("{}", secret))
    project.write_stage({f"{LUNA}.{path}": value})
    with pytest.raises(InputError) as caught:
        load_protocol("small")
    assert f"{LUNA}.{key}" in str(caught.value)
    assert secret not in str(caught.value)


def test_several_complaints_are_shown_together(project: Project) -> None:
    project.write_stage({"sandbox.network": True, "default_set": "none", "analysis.budget": 99})
    with pytest.raises(InputError) as caught:
        load_protocol("small")
    assert caught.value.key == "sandbox.network"
    assert "also: default_set: 'none' is not a set" in str(caught.value)
    assert "also: analysis.budget: 99 is above the horizon 30" in str(caught.value)


def test_unknown_stage_lists_the_known_ones(project: Project) -> None:
    project.write_stage(name="horizon60")
    (project.protocols / "FROZEN.yaml").write_text("{}\n")
    assert list(stage_files()) == ["horizon60"]
    with pytest.raises(InputError, match="did you mean 'horizon60'") as caught:
        load_protocol("horizon6")
    assert caught.value.file == project.protocols
    with pytest.raises(InputError, match="unknown stage 'FROZEN'"):
        find_stage("FROZEN")


def test_a_stage_is_found_by_name_and_by_path(project: Project, tmp_path: Path) -> None:
    path = project.write_stage()
    elsewhere = tmp_path / "small.yaml"
    elsewhere.write_bytes(path.read_bytes())
    assert load_protocol("small") == load_protocol(path) == load_protocol(str(elsewhere))
    with pytest.raises(InputError, match="cannot be read"):
        load_protocol(tmp_path / "missing.yaml")


def test_laws_are_merged_per_task(project: Project) -> None:
    project.write_stage({"runtimes.scripted.model.law.malformed_after_malformed": 0.3})
    model = load_protocol("small").runtimes["scripted"].model
    assert model is not None
    assert model.kind == "scripted"
    common, other = model.law_for("demo-1"), model.law_for("demo-2")
    assert (common.malformed, other.malformed) == (0.05, 0.1)
    assert other.malformed_after_malformed == 0.3
    assert other.hazard == common.hazard
    assert [step.from_ for step in common.hazard] == [1, 4]
