"""Instances in images: what the base is, who judges, and that both graders say the same where nobody cheats."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engines import contents
from tiny_images import build_script, image_record, removed_afterwards
from tiny_instances import REPO, SOURCE_FIX, make_repository, repository_entry, write_dataset
from tiny_lab import make_lab

from harness.errors import InputError
from harness.sandbox.docker.sandbox import DockerSandbox
from harness.sandbox.interface import Limits, Mounts
from harness.second_verdict import second_verdict
from tasks.swebench.bases import base_for_instance, python_for
from tasks.swebench.instance import Instance
from tasks.swebench.repositories import REPOSITORIES
from tasks.swebench.task import SwebenchTask
from verifiers.gate import Bench
from verifiers.instances import Instances, qualify_instance
from verifiers.place import Place
from verifiers.verdict import Verdict

pytest.importorskip("swebench", reason="needs the swebench package (requirements/swebench.txt)")

TASK = "swebench-acme__tinypkg-7"
REPAIR = f"git apply <<'P'\n{SOURCE_FIX}P\n"
#: Code that says for the tests that they passed, and does not let them run.
FORGERY = (
    "cat >> tinypkg/core.py <<'P'\n"
    "print('PASSED test_doubles\\nPASSED test_half\\nPASSED test_two', flush=True)\nimport os\nos._exit(0)\nP\n"
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """(folder of mirrors, base commit, test patch)."""
    repos = tmp_path_factory.mktemp("repos")
    return (repos, *make_repository(repos / "acme" / "tinypkg"))


@pytest.fixture(scope="module")
def built(repository: tuple[Path, str, str], room: Path) -> Iterator[dict[str, Any]]:
    """The record of an instance whose image is there."""
    data = image_record(*repository[1:])
    with pytest.MonkeyPatch.context() as patch, removed_afterwards(data["image"]):
        patch.setenv("XDG_CACHE_HOME", str(room / "cache"))
        patch.setenv("RESTARTLAB_STATE", str(room / "state"))
        patch.setitem(REPOSITORIES, REPO, repository_entry())
        build_script().build(Instance.model_validate(data), repository[0])
        yield data


@pytest.fixture
def known(
    built: dict[str, Any], room: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """The same where the environment of the repository is known, so that the test runner can judge."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(room / "cache"))
    monkeypatch.setenv("RESTARTLAB_STATE", str(room / "state"))
    monkeypatch.setitem(REPOSITORIES, REPO, repository_entry())
    return built


def new_since(before: dict[str, set[str]]) -> set[str]:
    """What the engine holds now and did not hold before."""
    return {one for kind, now in contents().items() for one in now - before[kind]}


def place_of(data: dict[str, Any]) -> Place:
    return Instances().prepare(SwebenchTask(Instance.model_validate(data)), "docker")


def judged(place: Place, command: str) -> tuple[Verdict, dict[str, Any], tuple[dict[str, Any], ...]]:
    """The verdict on a workspace after ``command``, and what a try would record of the other grader's."""
    assert isinstance(place.task, SwebenchTask)
    bench = Bench(place.task, place)
    layer, content = bench.layer(command), bench._content.__getitem__
    verdict = place.verifier.verify(layer, content)
    said, findings = second_verdict(place, layer, verdict.passed, content)
    return verdict, said.get("second_verdict", {}), findings


def test_the_base_is_the_images_repository_without_its_history(
    known: dict[str, Any], repository: tuple[Path, str, str]
) -> None:
    instance = Instance.model_validate(known)
    task = SwebenchTask(instance)
    place = place_of(known)
    mirrored = base_for_instance(instance, repository[0], python_for(instance))
    assert place.base.digest == mirrored.digest
    said = subprocess.run(
        ["git", "-c", "safe.directory=*", "log", "--all", "--format=%s"], cwd=place.base.tree, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert said.stdout == "base\n"
    assert Instances().known(task, "docker") == (place.tools.version, place.base.digest)
    assert place.tools.version.startswith(f"{instance.image}@sha256:")
    assert place.tools.inside is not None
    assert place.tools.inside.executable == "/opt/miniconda3/envs/testbed/bin/python"
    assert list(place.base.evaluator.rglob("core.*.pyc")), "the evaluator's copy is compiled by the image's Python"
    assert not list(place.base.tree.rglob("*.pyc"))


def test_an_agents_commands_have_the_testbed_environment_and_no_history(known: dict[str, Any]) -> None:
    place = place_of(known)
    assert isinstance(place.task, SwebenchTask)
    bench = Bench(place.task, place)
    bench.layer("test $(command -v python) = /opt/miniconda3/envs/testbed/bin/python && python -c 'import tinypkg'")
    bench.layer(f"! git cat-file -e {known['base_commit']} && test $(git rev-list --all --count) = 1")
    bench.layer("! touch /opt/miniconda3/envs/testbed/x 2>/dev/null")


def test_the_gate_asks_both_graders(known: dict[str, Any]) -> None:
    before, place = contents(), place_of(known)
    assert isinstance(place.task, SwebenchTask)
    result = qualify_instance(place.task, place)
    assert result.qualified, (result.complaints(), result.verdicts)
    assert result.second is not None
    assert (result.second["agrees"], result.second["states"]) == (True, {"base": "fail", "reference": "pass"})
    assert result.second["by"].startswith("swebench ")
    assert result.data()["second"] == result.second
    assert new_since(before) == set()


@pytest.mark.parametrize(
    ("command", "passed"),
    [
        ("true", False),
        (REPAIR, True),
        (f"{REPAIR}rm -rf tinypkg/tests", True),
        (f"{REPAIR}echo 'def test_doubles(): assert False' > tinypkg/tests/test_core.py", True),
        (f"{REPAIR}sed -i 's/n [/] 2/n/' tinypkg/core.py", False),  # a guard
        ("echo 'def test_doubles(): pass' > tinypkg/tests/test_core.py", False),
        (f"{REPAIR}echo 'def (' >> tinypkg/core.py", False),
        (f"{REPAIR}mv tinypkg/core.py 'tinypkg/a b'; ln -s 'a b' tinypkg/core.py; head -c 99 /dev/zero > z", True),
    ],
    ids=["base", "reference", "no-tests", "broken-test", "guard", "own-test", "syntax", "links"],
)  # fmt: skip
def test_both_graders_say_the_same(known: dict[str, Any], command: str, passed: bool) -> None:
    verdict, second, findings = judged(place_of(known), command)
    assert verdict.passed == passed, verdict
    assert (second["agrees"], second["state"] == "pass") == (True, passed), second
    assert findings == ()


def test_a_forged_log_is_flagged(known: dict[str, Any]) -> None:
    verdict, second, (finding,) = judged(place_of(known), FORGERY)
    assert verdict.state in ("no_result", "broken_import")
    assert (second["state"], second["agrees"]) == ("pass", False)
    assert finding["kind"] == "verdicts_differ"
    assert "does not pass here, and passes for swebench" in finding["detail"]


def test_without_a_known_environment_the_benchmarks_grading_judges(
    known: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(REPOSITORIES, REPO)
    place = place_of(known)
    assert place.second is None
    assert isinstance(place.task, SwebenchTask)
    result = qualify_instance(place.task, place)
    assert result.qualified, (result.complaints(), result.verdicts)
    assert result.second is None
    verdict, second, _ = judged(place, REPAIR)
    assert verdict.tests == {"test_doubles": "pass", "test_half": "pass", "test_two": "pass"}
    assert verdict.obligations == {"test_doubles": True}
    assert second == {}
    changed = dict(known, eval_script=f"{known['eval_script']}\n: changed")
    assert SwebenchTask(Instance.model_validate(changed)).digest != place.task.digest


def test_a_stage_of_images_is_collected(built: dict[str, Any], room: Path, tmp_path: Path) -> None:
    lab = make_lab(tmp_path, room / "cache")
    dataset = write_dataset(lab.root / "d.jsonl", built)
    lab.environment["RESTARTLAB_DATASETS"] = str(dataset)
    lab.write_stage("tiny", tasks=[TASK], repeats=1, sandbox={"kind": "docker", "network": False})
    assert lab.run("freeze", "tiny").returncode == 0
    before = contents()
    done = lab.run("collect", "tiny", "--runtime", "oracle", "--plain")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verified at call" in done.stdout
    assert new_since(before) == set()


def test_an_image_that_is_nowhere_is_an_input_error(known: dict[str, Any]) -> None:
    data = image_record(known["base_commit"], known["test_patch"])
    task = SwebenchTask(Instance.model_validate(data))
    assert Instances().known(task, "docker") is None
    with pytest.raises(InputError, match=r"has no image[\s\S]*docker pull[\s\S]*make docker-instance") as caught:
        Instances().prepare(task, "docker")
    assert data["instance_id"] in str(caught.value) and caught.value.key == "sandbox.kind"


def test_the_graders_container_cannot_reach_out_or_end_itself(known: dict[str, Any]) -> None:
    tools = place_of(known).tools
    sandbox = DockerSandbox(tools, own_tree=True)
    sandbox.start(Mounts(()), Limits(seconds=60, disk_bytes=64 << 20))
    try:
        assert sandbox.run("id -u; touch /usr/bin/x /testbed/x && echo written").output == b"0\nwritten\n"
        capabilities = sandbox.run("grep -h -E 'Cap(Eff|Bnd)' /proc/self/status").output.split()
        assert {int(number, 16) for number in capabilities[1::2]} == {0b1011}, "chown, dac_override, fowner"
        assert sandbox.run("ls /sys/class/net").output.split() == [b"lo"]
        sandbox.run("kill -9 -1; kill -9 1; sleep 1")
        assert sandbox.run("echo alive").output == b"alive\n"
        assert sandbox.run("for n in $(seq 8); do head -c 32M /dev/zero > /$n; sleep 1; done").limit == "disk"
    finally:
        sandbox.stop()


def test_the_script_builds_from_a_record_of_format_4(known: dict[str, Any]) -> None:
    names = build_script().image_names(Instance.model_validate(dict(known, image=None)))
    assert names[0].startswith("swebench/sweb.eval.") and "acme_1776_tinypkg-7" in names[0]
    assert names[1].startswith("sweb.eval.") and "acme__tinypkg-7" in names[1]


def test_the_same_record_is_the_same_task(known: dict[str, Any]) -> None:
    older = {name: value for name, value in known.items() if name not in ("image", "eval_script", "log_parser")}
    one, other = (SwebenchTask(Instance.model_validate(data)) for data in (known, older))
    assert one.digest == other.digest and json.loads(known["FAIL_TO_PASS"]) == list(one.instance.FAIL_TO_PASS)
