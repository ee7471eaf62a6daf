"""Every recovery package: it loads, is complete, and the panel covers what it must."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.errors import InputError
from harness.paths import PROJECT
from harness.protocol.load import parse_protocol
from harness.protocol.runtime import resolve_runtimes
from harness.workspace.base import tree_digest
from harness.yamlfile import load_yaml
from tasks.checking.contracts import check_contract
from tasks.recovery.base import build_tree
from tasks.recovery.scripts import read_script
from tasks.recovery.source import RecoveryTasks
from tasks.recovery.task import RecoveryTask

TASKS = RecoveryTasks()
INCIDENTS = (
    "config-drift-store fix-lost-on-restart authz-trust-mismatch queue-poison damaged-report partial-migration "
    "spool-permission quota-exhausted stale-lock-journal log-injection"
).split()


def test_the_ten_incidents_are_there() -> None:
    assert {f"recovery-{name}" for name in INCIDENTS} <= set(TASKS.ids())


@pytest.mark.parametrize("task_id", TASKS.ids())
def test_a_package_is_complete_and_its_tree_is_the_same_every_time(task_id: str, tmp_path: Path) -> None:
    task = TASKS.load(task_id)
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        build_tree(task, tmp_path / name)
    assert tree_digest(tmp_path / "first") == tree_digest(tmp_path / "second")
    for service in task.contract.services:
        assert (tmp_path / "first" / service.program).is_file()
        assert (tmp_path / "first" / "init.d").is_dir()
    names = {function.partition("(")[0] for function in task.checks.split("\ndef ")[1:]}
    contract = task.contract
    used = {goal.check for goal in contract.goals} | {check.check for check in contract.durability.checks}
    used |= {function for i in contract.invariants for function in (i.extract, i.check) if function}
    used |= {contract.durability.prepare} - {None}
    assert used <= names, f"checks.py lacks {sorted(used - names)}"
    listed = {f"{name}.sh" for name in task.mutations}
    assert {path.name for path in (task.root / "mutations").iterdir()} == listed
    assert {path.name for path in (task.root / "repairs").iterdir()} == {"oracle.sh"} | {
        f"{name}.sh" for name in task.alternatives
    }


@pytest.mark.parametrize("task_id", TASKS.ids())
def test_checks_and_services_need_the_standard_library_alone(task_id: str) -> None:
    task = TASKS.load(task_id)
    for file in [*task.root.rglob("*.py"), *(task.root.parent / "common").rglob("*.py")]:
        code = f"import ast, sys; ast.parse(open({str(file)!r}).read())"
        assert subprocess.run([sys.executable, "-I", "-c", code]).returncode == 0
        for line in file.read_text().splitlines():
            words = line.split()
            if words[:1] in (["import"], ["from"]) and len(words) > 1:
                module = words[1].rstrip(",").split(".")[0]
                assert module in sys.stdlib_module_names or module in ("lines", "service", "__future__"), (file, line)


def test_the_panel_covers_kinds_of_services_and_mechanisms() -> None:
    contracts = [TASKS.load(name).contract for name in TASKS.ids()]
    kinds = {service.kind for contract in contracts for service in contract.services}
    assert kinds == {"socket-server", "queue-worker", "scheduler", "spool-daemon"}
    held = {contract.family for contract in contracts if contract.pool == "held-out"}
    developed = {contract.family for contract in contracts if contract.pool == "development"}
    assert len(held) >= 8 and not held & developed


def test_the_panel_is_all_that_is_held_out() -> None:
    path = PROJECT / "protocols" / "recovery20.yaml"
    protocol = parse_protocol(load_yaml(path), path, TASKS.ids())
    contracts = {name: TASKS.load(name).contract for name in TASKS.ids()}
    assert set(protocol.tasks) == {name for name, contract in contracts.items() if contract.pool == "held-out"}
    assert (len(protocol.tasks), protocol.repeats, protocol.verification.after_pass) == (20, 5, "continue")
    assert len({contracts[name].family for name in protocol.tasks}) >= 8
    assert sum(contract.pool == "development" for contract in contracts.values()) >= 4
    assert set(resolve_runtimes(protocol)) == {"careful", "hasty", "runtime-only", "injection-obeying"}
    assert all(runtime.track for runtime in protocol.runtimes.values())


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of a package, to be damaged."""
    source = PROJECT / "tasks" / "recovery"
    shutil.copytree(source / "common", tmp_path / "common")
    shutil.copytree(source / "config-drift-store", tmp_path / "config-drift-store")
    return tmp_path / "config-drift-store"


def _changed(package: Path, change: dict[str, object]) -> InputError:
    path = package / "contract.yaml"
    data = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump(data | change))
    with pytest.raises(InputError) as caught:
        RecoveryTask(package)
    return caught.value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"goals": []}, "goals"),
        ({"surprise": 1}, "unknown key"),
        ({"behaviours": {"hasty": "nobody", "runtime_only": "oracle"}}, "unknown script"),
        ({"goals": [{"name": "orders-survive", "check": "order_is_taken"}]}, "twice"),
        ({"invariants": [{"name": "x", "dimension": "S"}]}, "exactly one of extract, check and secret"),
        ({"invariants": [{"name": "x", "dimension": "I", "secret": "etc/t"}]}, "trajectory"),
    ],
)
def test_a_damaged_contract_is_refused_by_name(package: Path, change: dict[str, object], said: str) -> None:
    error = _changed(package, change)
    assert said in str(error) and "contract.yaml" in str(error)


def test_every_obligation_needs_a_mutation(package: Path) -> None:
    data = yaml.safe_load((package / "contract.yaml").read_text())
    left = [one for one in data["mutations"] if one["name"] != "account-check-off"]
    assert "no mutation is written for unknown-accounts-are-refused" in str(_changed(package, {"mutations": left}))


def test_a_missing_script_is_named(package: Path) -> None:
    (package / "mutations" / "read-only.sh").unlink()
    with pytest.raises(InputError, match=r"read-only\.sh"):
        RecoveryTask(package)


def test_any_change_of_a_package_changes_its_digest(package: Path) -> None:
    before = RecoveryTask(package)
    for name, part in (
        ("tree/services/orders.py", "base"), ("hidden/build.py", "base"), ("hidden/checks.py", "hidden"),
        ("repairs/oracle.sh", "repairs"),
    ):  # fmt: skip
        path = package / name
        path.write_text(path.read_text() + "# more\n")
        after = RecoveryTask(package)
        assert before.parts[part] != after.parts[part] and before.digest != after.digest
        before = after


def test_scripts_are_actions_between_lines_of_dashes(tmp_path: Path) -> None:
    script = tmp_path / "s.sh"
    script.write_text("a\nb\n---\n\n---\nc\n")
    assert read_script(script) == ("a\nb", "c")
    script.write_text("---\n")
    with pytest.raises(InputError, match="no command"):
        read_script(script)


def test_task_check_names_what_is_wrong_with_a_package(package: Path) -> None:
    assert check_contract(package)[1] == []
    builder = "import os, sys\nopen(sys.argv[1] + '/x', 'wb').write(os.urandom(9))\n"
    (package / "hidden" / "build.py").write_text(builder)
    (package / "mutations" / "forgotten.sh").write_text("true\n")
    checks = package / "hidden" / "checks.py"
    checks.write_text(checks.read_text().replace("def unknown_account_is_refused", "def renamed"))
    said = "\n".join(map(str, check_contract(package)[1]))
    for what in ("unknown_account_is_refused", "mutations/forgotten.sh", "makes another tree each time"):
        assert what in said
