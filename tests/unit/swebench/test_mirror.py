"""Mirrors are found in every usual layout; a base is the commit's tree and has no history after it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from tiny_instances import REPO, git, repository_entry

from harness.errors import InputError
from tasks.swebench.bases import base_for_instance, known_base_digest
from tasks.swebench.instance import Instance
from tasks.swebench.mirror import check_out, find_mirror
from tasks.swebench.repositories import REPOSITORIES


@pytest.mark.parametrize(
    "place", ["acme/tinypkg.git", "acme/tinypkg", "acme__tinypkg", "acme__tinypkg.git", "tinypkg", ""]
)
@pytest.mark.parametrize("bare", [True, False])
def test_layouts(tmp_path: Path, repository: tuple[Path, str, str], place: str, bare: bool) -> None:
    repos, base, _ = repository
    target = tmp_path / "mirrors" / place
    target.parent.mkdir(parents=True, exist_ok=True)
    git(tmp_path, "clone", "-q", *(["--mirror"] if bare else []), str(repos / REPO), str(target))
    assert find_mirror(tmp_path / "mirrors", REPO, base) == (target if bare else target / ".git")


def test_what_is_missing_is_named(tmp_path: Path, repository: tuple[Path, str, str]) -> None:
    repos, base, _ = repository
    with pytest.raises(InputError, match="no folder of git mirrors"):
        find_mirror(None, REPO, base)
    with pytest.raises(InputError, match="holds no mirror of acme/tinypkg"):
        find_mirror(tmp_path, REPO, base)
    with pytest.raises(InputError, match="has no commit 0000"):
        find_mirror(repos, REPO, "0" * 40)


def test_the_tree_is_the_commits_whatever_archives_leave_out(tmp_path: Path, repository: tuple[Path, str, str]) -> None:
    repos, base, _ = repository
    check_out(find_mirror(repos, REPO, base), base, tmp_path)
    assert (tmp_path / "tinypkg" / "core.py").read_text().startswith("def double(n):\n    return n + 2")
    assert (tmp_path / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "tinypkg" / "core.py").stat().st_mode & 0o777 == 0o644
    assert not (tmp_path / ".git").exists()


def test_a_base_has_one_commit_and_is_built_once(
    tmp_path: Path, repository: tuple[Path, str, str], tiny: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    from harness.sandbox.interpreter import inspect

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(REPOSITORIES, REPO, repository_entry())
    python = inspect(sys.executable)
    assert python is not None
    instance = Instance.model_validate(tiny)
    assert known_base_digest(instance) is None
    base = base_for_instance(instance, repository[0], python)
    said = subprocess.run(
        ["git", "-c", f"safe.directory={base.tree}", "log", "--all", "--format=%s"], cwd=base.tree,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.split() == ["base"]
    again = base_for_instance(instance, None, python)  # from the cache: no mirror is needed any more
    assert again.digest == base.digest == known_base_digest(instance)


def test_an_unknown_repository_names_the_way_out(tiny: dict[str, Any], repository: tuple[Path, str, str]) -> None:
    from harness.sandbox.interpreter import choose

    python = choose(("3.11", "3.12", "3.13"))
    with pytest.raises(InputError, match=r"acme/tinypkg[\s\S]*docker"):
        base_for_instance(Instance.model_validate(tiny), repository[0], python)
