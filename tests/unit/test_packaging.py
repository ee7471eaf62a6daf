"""What a fresh machine relies on: the locks, the entry point, the Makefile's messages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements"
SETS = ["core", "dev", "inspect", "local", "postgres", "ray", "report", "swebench"]
PYTHONS = ["3.11", "3.12", "3.13"]


def locked(name: str) -> dict[str, list[tuple[Requirement, int]]]:
    """The pinned requirements of a lock by name, each with its number of hashes."""
    entries: dict[str, list[tuple[Requirement, int]]] = {}
    for block in re.split(r"\n(?=[A-Za-z0-9])", (REQUIREMENTS / f"{name}.txt").read_text()):
        head = block.split("\\")[0].strip()
        if not head.startswith("#"):
            requirement = Requirement(head)
            entries.setdefault(requirement.name, []).append((requirement, block.count("--hash=sha256:")))
    return entries


def declared(name: str) -> list[Requirement]:
    lines = (REQUIREMENTS / f"{name}.in").read_text().splitlines()
    return [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]


def version_on(entries: list[tuple[Requirement, int]], python: str) -> set[str]:
    """The version that a lock gives to Linux on x86-64 with this Python; empty where the package is left out."""
    machine = {
        "python_version": python,
        "python_full_version": f"{python}.5",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    wanted = [item for item, _ in entries if item.marker is None or item.marker.evaluate(machine)]
    return {str(item.specifier).removeprefix("==") for item in wanted}


def test_a_lock_for_every_set_and_no_other() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["dynamic"]
    assert sorted(["core", *extras["optional-dependencies"]]) == SETS
    assert sorted(path.stem for path in REQUIREMENTS.glob("*.txt")) == SETS


@pytest.mark.parametrize("name", SETS)
def test_lock_pins_with_hashes_and_names_no_place(name: str) -> None:
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    assert not re.search(r"://|^\s*-(?!-hash)|--(index|extra-index|find-links|trusted-host)|@ ", text, re.MULTILINE)
    comments = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    assert not [line for line in comments if re.search(r"(^|\s)/", line)]
    for entries in locked(name).values():
        for requirement, hashes in entries:
            assert str(requirement.specifier).startswith("=="), requirement
            assert hashes > 0, requirement


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", SETS)
def test_lock_gives_one_version_that_satisfies_what_is_declared(name: str, python: str) -> None:
    entries = {key.lower(): value for key, value in locked(name).items()}
    for package, versions in entries.items():
        assert len(version_on(versions, python)) <= 1, package
    inputs = declared(name) + (declared("build") if name == "core" else [])
    for requirement in inputs:
        (version,) = version_on(entries[requirement.name.lower()], python)
        assert requirement.specifier.contains(version), requirement


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", [name for name in SETS if name not in ("core", "inspect")])
def test_lock_agrees_with_the_core(name: str, python: str) -> None:
    core = locked("core")
    for package, entries in locked(name).items():
        if package in core:
            assert version_on(entries, python) <= version_on(core[package], python), package


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_of_inspect_is_whole(python: str) -> None:
    """Its reader wants other versions than core.txt has: the set is installed instead of the core's, not beside it."""
    entries = {key.lower(): value for key, value in locked("inspect").items()}
    for requirement in declared("core"):
        (version,) = version_on(entries[requirement.name.lower()], python)
        assert requirement.specifier.contains(version), requirement


def make(*arguments: str, where: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MAKE") and key != "PYTHON"}
    return subprocess.run(["make", *arguments], cwd=where, env=clean | environment, capture_output=True, text=True)


@pytest.fixture
def front(tmp_path: Path) -> Path:
    """A checkout with the files that set-up needs, and no environment."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(REQUIREMENTS, tmp_path / "requirements")
    return tmp_path


def test_help_is_the_default_and_lists_every_public_target() -> None:
    done = make()
    assert done.returncode == 0
    targets = re.findall(r"^([a-z][a-z-]*):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"setup", "collect", "test", "check", "gate", "doctor", "lock", "clean"} <= set(targets)
    for target in targets:
        assert re.search(rf"^  {target} ", done.stdout, re.MULTILINE), target


@pytest.mark.parametrize("target", ["collect", "status", "export"])
def test_a_missing_stage_is_said_before_anything_is_installed(front: Path, target: str) -> None:
    done = make(target, where=front)
    assert done.returncode == 2
    assert f"make {target} STAGE=horizon60" in done.stderr
    assert not (front / ".venv").exists()


def test_an_unfit_interpreter_is_named_with_what_is_needed(front: Path) -> None:
    done = make("setup", f"PYTHON={front}/python9", where=front)
    assert done.returncode == 2
    assert "3.11, 3.12 or 3.13" in done.stderr
    assert f"{front}/python9" in done.stderr
    assert not (front / ".venv").exists()


def test_an_interpreter_without_ensurepip_gets_the_name_of_the_package(front: Path) -> None:
    python = front / "python3.12"
    # In range, but it cannot import ensurepip: Debian's python3 without python3-venv.
    python.write_text('#!/bin/sh\ncase "$2" in *ensurepip*) exit 1 ;; esac\nexit 0\n')
    python.chmod(0o755)
    done = make("setup", f"PYTHON={python}", where=front)
    assert done.returncode == 2
    assert "python3-venv" in done.stderr
    assert not (front / ".venv").exists()


def test_a_stamp_makes_setup_a_no_op_until_the_lock_changes(front: Path) -> None:
    plan = make("-n", "setup", where=front).stdout
    assert "setup.sh core" in plan
    (stamp,) = set(re.findall(r"\.venv/\.installed-core-[0-9a-f]{16}(?= |$)", plan, re.MULTILINE))
    (front / ".venv").mkdir()
    (front / stamp).touch()
    assert "setup.sh" not in make("-n", "setup", where=front).stdout
    with open(front / "requirements" / "core.txt", "a") as lock:
        lock.write("# changed\n")
    assert "setup.sh core" in make("-n", "setup", where=front).stdout


def test_the_local_runtime_implies_its_set_and_weights(front: Path) -> None:
    plain = make("-n", "collect", "STAGE=pilot30", where=front).stdout
    local = make("-n", "collect", "STAGE=pilot30", "RUNTIME=local", "WORKERS=2", where=front).stdout
    assert "setup.sh local" not in plain
    assert "harness.models.local_weights" not in plain
    steps = [local.index(step) for step in ("setup.sh local", "harness.models.local_weights", "restartlab collect")]
    assert steps == sorted(steps)
    assert '--runtime "local" --workers "2"' in local


def test_clean_keeps_what_was_collected(front: Path) -> None:
    for name in (".restartlab", ".venv", "harness/__pycache__", "verifiers", "tasks", "analysis", "tests"):
        (front / name).mkdir(parents=True)
    (front / ".restartlab" / "attempts.db").touch()
    assert make("clean", where=front).returncode == 0
    assert not (front / ".venv").exists()
    assert not (front / "harness" / "__pycache__").exists()
    assert (front / ".restartlab" / "attempts.db").exists()
