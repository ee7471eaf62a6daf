"""Which installed Python is taken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.sandbox import interpreter
from harness.sandbox.interpreter import choose, inspect

OWN = inspect(getattr(sys, "_base_executable", sys.executable))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No Python on PATH; pyenv's and uv's folders are below the one given."""
    for name in ("path", "pyenv", "uv"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    return tmp_path


def other_python(place: Path, version: str) -> None:
    """A program that says of itself what a Python of that version would."""
    assert OWN is not None
    place.parent.mkdir(parents=True)
    place.write_text(
        f"#!/bin/sh\necho '{{\"version\": \"{version}\", \"full\": \"{version}.7\", \"executable\": \"{place}\", "
        f'"prefix": "{place.parent.parent}", "stdlib": "/x", "packages": [], "tag": "", "venv": false}}\'\n'
    )
    place.chmod(0o755)


def test_this_one_comes_first_unless_the_order_counts(installed: Path) -> None:
    assert OWN is not None
    other_python(installed / "uv" / "cpython-3.4.7-linux-x86_64-gnu" / "bin" / "python3.4", "3.4")
    assert choose(("3.4", OWN.version)).version == OWN.version
    assert choose(("3.4", OWN.version), own_first=False).full_version == "3.4.7"
    assert choose((OWN.version, "3.4"), own_first=False).version == OWN.version


@pytest.mark.parametrize("folder", ["pyenv/versions/3.4.7", "uv/cpython-3.4.7-linux-x86_64-gnu"])
def test_what_pyenv_and_uv_installed_is_found(installed: Path, folder: str) -> None:
    other_python(installed / folder / "bin" / "python3.4", "3.4")
    assert choose(("3.4",)).executable == installed / folder / "bin" / "python3.4"


def test_a_launcher_on_the_path_that_has_no_such_version_is_passed_over(installed: Path) -> None:
    shim = installed / "path" / "python3.4"
    shim.write_text("#!/bin/sh\necho 'command not found' >&2\nexit 127\n")
    shim.chmod(0o755)
    with pytest.raises(InputError, match=r"no Python 3\.4"):
        choose(("3.4",))
    other_python(installed / "pyenv" / "versions" / "3.4.7" / "bin" / "python3.4", "3.4")
    assert choose(("3.4",)).full_version == "3.4.7"
    interpreter.inspect.cache_clear()
