"""Finding a Python for the sandbox."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.sandbox.interpreter import choose, inspect
from harness.sandbox.rootfs import python_parts


def test_a_virtual_environment_gives_its_base(tmp_path: Path) -> None:
    base = inspect(getattr(sys, "_base_executable", sys.executable))
    assert base is not None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(base.executable)
    (tmp_path / "pyvenv.cfg").write_text(f"home = {base.executable.parent}\n")
    assert inspect(str(tmp_path / "bin" / "python")) == base


def test_facts_are_those_of_the_running_interpreter() -> None:
    found = inspect(sys.executable)
    assert found is not None
    assert found.full_version == sys.version.split()[0]
    assert found.prefix == Path(sys.base_prefix)
    assert any(folder.name in ("site-packages", "dist-packages") for folder in found.packages)


def test_what_is_no_python_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("#!/bin/sh\necho not json\n")
    (tmp_path / "python").chmod(0o755)
    assert inspect(str(tmp_path / "python")) is None
    assert inspect(str(tmp_path / "absent")) is None


def test_no_fitting_version_is_named() -> None:
    with pytest.raises(InputError, match=r"3\.1 or 3\.2"):
        choose(("3.1", "3.2"))


@pytest.mark.parametrize("place", ["/tmp/python", "/home/agent/.pyenv/versions/3.11", "/run/python", "/testbed/python"])
def test_a_python_that_the_sandbox_would_cover_is_refused(place: str, tmp_path: Path) -> None:
    """The system's own, another version, would answer in its stead."""
    found = inspect(sys.executable)
    assert found is not None
    covered = replace(found, prefix=Path(place), executable=Path(place, "bin", "python3"))
    with pytest.raises(InputError, match=f"{place}.*of its own"):
        python_parts(covered, tmp_path)
