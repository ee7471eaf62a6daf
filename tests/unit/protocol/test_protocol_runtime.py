"""Runtime sets, runtime identity, credentials, and prompt configurations."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from protocol_factory import Project

from harness.errors import InputError
from harness.protocol.digest import load_stage
from harness.protocol.load import load_protocol
from harness.protocol.prompts import load_prompts
from harness.protocol.runtime import require_credentials, resolve_runtimes, runtime_digest, runtime_identity

TEMPLATES = {
    "agent": {"system_template": "S", "instance_template": "I {{task}}"},
    "model": {"observation_template": "O", "format_error_template": "F"},
}


def test_runtime_names_a_set_or_one_runtime(project: Project) -> None:
    project.write_stage()
    protocol = load_protocol("small")
    assert resolve_runtimes(protocol) == resolve_runtimes(protocol, "") == ("scripted",)
    assert resolve_runtimes(protocol, "both") == ("oracle", "scripted")
    assert resolve_runtimes(protocol, "local") == ("local",)
    with pytest.raises(InputError, match="neither a set nor a runtime") as caught:
        resolve_runtimes(protocol, "gpt")
    assert caught.value.file == "RUNTIME"
    assert caught.value.mend is not None
    assert "both" in caught.value.mend
    assert "local" in caught.value.mend


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"runtimes.luna.model.credential": "OTHER_KEY"}, True),
        ({"runtimes.luna.model.price": {"input_per_million": 1, "output_per_million": 2}}, True),
        ({"horizon": 60, "repeats": 1, "title": "Another"}, True),
        ({"runtimes.luna.model.temperature": 0.8}, False),
        ({"runtimes.luna.model.name": "openai/other"}, False),
        ({"runtimes.luna.model.api_base": "http://127.0.0.1:1/v1"}, False),
        ({"runtimes.luna.model.params": {"top_p": 1}}, False),
        ({"sandbox.kind": "docker"}, False),
        ({"limits.memory_mb": 1}, False),
        ({"agent.max_consecutive_format_errors": 4}, False),
        ({"agent.prompts": "mini-swe-agent/default"}, False),
    ],
)
def test_what_makes_a_runtime_another(project: Project, changes: dict[str, Any], same: bool) -> None:
    project.write_stage()
    before = load_stage("small")
    project.write_stage(changes)
    after = load_stage("small")
    digests = [runtime_digest(stage.protocol, "luna", stage.prompts) for stage in (before, after)]
    assert (digests[0] == digests[1]) is same


def test_identity_holds_no_variable_name(project: Project) -> None:
    project.write_stage()
    stage = load_stage("small")
    assert "LUNA_KEY" not in str(runtime_identity(stage.protocol, "luna", stage.prompts))
    assert runtime_identity(stage.protocol, "oracle", stage.prompts)["model"] is None


@pytest.mark.parametrize("environment", [{}, {"LUNA_KEY": ""}, {"LUNA_KEY": "  "}])
def test_a_missing_credential_is_named(project: Project, environment: dict[str, str]) -> None:
    project.write_stage()
    protocol = load_protocol("small")
    require_credentials(protocol, ["scripted", "oracle", "local"], environment)
    with pytest.raises(InputError, match="LUNA_KEY, which is not set") as caught:
        require_credentials(protocol, ["scripted", "luna"], environment)
    assert caught.value.key == "runtimes.luna.model.credential"
    assert caught.value.mend is not None
    assert "RUNTIME=scripted" in caught.value.mend
    require_credentials(protocol, ["luna"], {"LUNA_KEY": "k"})


def test_credentials_come_from_the_environment_by_default(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write_stage()
    monkeypatch.setenv("LUNA_KEY", "secret-value")
    require_credentials(load_protocol("small"), ["luna"])
    monkeypatch.delenv("LUNA_KEY")
    with pytest.raises(InputError):
        require_credentials(load_protocol("small"), ["luna"])


def test_packaged_prompts_equal_what_mini_swe_agent_itself_reads(tmp_path: Path) -> None:
    """Checked against the package's own configuration reader, in a process of its own."""
    ours = load_prompts("mini-swe-agent/benchmarks/swebench")
    code = (
        "import json; from minisweagent import __version__ as v; from minisweagent.config import get_config_from_spec;"
        "c = get_config_from_spec('benchmarks/swebench.yaml'); a, m = c['agent'], c['model'];"
        "print('\\n' + json.dumps([a['system_template'], a['instance_template'], m['observation_template'],"
        " m['format_error_template'], v]))"
    )
    environment = {"HOME": str(tmp_path), "MSWEA_SILENT_STARTUP": "1", "MSWEA_GLOBAL_CONFIG_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    theirs = json.loads(run.stdout.splitlines()[-1])
    assert [ours.system, ours.instance, ours.observation, ours.format_error, ours.version] == theirs


def test_reading_prompts_does_not_import_mini_swe_agent(tmp_path: Path) -> None:
    code = (
        "import sys; from harness.protocol.prompts import load_prompts; load_prompts('mini-swe-agent/mini');"
        "sys.exit('minisweagent' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert not list(tmp_path.iterdir())


def test_prompts_beside_the_stage_file(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project.protocols / "prompts"
    folder.mkdir()
    (folder / "own.yaml").write_text(yaml.safe_dump(TEMPLATES))
    path = project.write_stage({"agent.prompts": "prompts/own.yaml"})
    monkeypatch.chdir("/")
    stage = load_stage(path)
    assert (stage.prompts.system, stage.prompts.format_error) == ("S", "F")
    (folder / "own.yaml").write_text(yaml.safe_dump({**TEMPLATES, "other": 1}))
    assert load_stage(path).digest == stage.digest
    (folder / "own.yaml").write_text(yaml.safe_dump({**TEMPLATES, "model": {"observation_template": "O"}}))
    with pytest.raises(InputError, match="template is missing") as caught:
        load_stage(path)
    assert (caught.value.file, caught.value.key) == (folder / "own.yaml", "model.format_error_template")


def test_a_changed_template_changes_the_stage(project: Project) -> None:
    (project.protocols / "p").mkdir()
    own = project.protocols / "p" / "own.yaml"
    own.write_text(yaml.safe_dump(TEMPLATES))
    project.write_stage({"agent.prompts": "p/own.yaml"})
    before = load_stage("small")
    own.write_text(yaml.safe_dump({**TEMPLATES, "agent": {"system_template": "S.", "instance_template": "I"}}))
    after = load_stage("small")
    assert before.parts["prompts"] != after.parts["prompts"]
    assert before.digest != after.digest
