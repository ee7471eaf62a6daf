"""Finds the git mirror of a repository and takes single commits out of it. Mirrors are only ever read."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from harness.errors import InfrastructureError, InputError

#: Places of a mirror below the folder of mirrors.
_PLACES = ("{owner}/{name}.git", "{owner}/{name}", "{owner}__{name}.git", "{owner}__{name}", "{name}.git", "{name}")
#: Nothing of the user's or the system's configuration takes part, and nothing is fetched.
_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C",
}  # fmt: skip


def git_folder(path: Path) -> Path | None:
    """The git directory of a bare or ordinary repository at ``path``; None when there is none."""
    for folder in (path / ".git", path):
        if (folder / "objects").is_dir() and (folder / "HEAD").is_file():
            return folder
    return None


def find_mirror(repos: Path | None, repo: str, commit: str) -> Path:
    """The git directory of a mirror of ``repo`` that has ``commit``.

    Args:
        repos: folder of mirrors (OWNER/NAME.git, OWNER/NAME, OWNER__NAME, NAME, each bare or not), or one mirror.
        repo: ``owner/name``.

    Raises:
        InputError: there is none, or it lacks the commit.
    """
    owner, name = repo.split("/")
    if repos is None:
        raise InputError(
            f"the base of an instance of {repo} is not built yet, and no folder of git mirrors is named",
            file="--repos", mend=f"git clone --mirror the repository to DIR/{repo}.git, and give --repos DIR",
        )  # fmt: skip
    places = [repos / place.format(owner=owner, name=name) for place in _PLACES]
    found = [folder for place in (*places, repos) if (folder := git_folder(place))]
    for folder in found:
        if has_commit(folder, commit):
            return folder
    if found:
        raise InputError(
            f"has no commit {commit}", file=found[0], mend=f"fetch from {repo}; a shallow clone lacks old commits"
        )
    raise InputError(
        f"holds no mirror of {repo}", file=repos, mend=f"git clone --mirror the repository to {repos / repo}.git"
    )


def has_commit(mirror: Path, commit: str) -> bool:
    """Whether ``commit`` is in the mirror."""
    return _git(mirror, "cat-file", "-e", f"{commit}^{{commit}}").returncode == 0


def check_out(mirror: Path, commit: str, target: Path) -> None:
    """Writes the tree of ``commit`` into the empty folder ``target``, as a clone would have it, without ``.git``."""
    with tempfile.TemporaryDirectory(prefix="restartlab-index-") as folder:
        index = {"GIT_INDEX_FILE": os.path.join(folder, "index"), "GIT_WORK_TREE": str(target)}
        for arguments in (("read-tree", commit), ("checkout-index", "--all", "--force")):
            done = _git(mirror, *arguments, cwd=target, **index)
            if done.returncode:
                said = done.stderr.decode(errors="replace").strip()[-300:]
                raise InfrastructureError(f"git {arguments[0]} failed in {mirror}: {said}")
    for place, folders, files in os.walk(target):
        os.chmod(place, 0o755)
        for entry in (os.path.join(place, name) for name in (*files, *folders)):
            if os.path.isfile(entry) and not os.path.islink(entry):
                os.chmod(entry, 0o755 if os.stat(entry).st_mode & 0o100 else 0o644)


def _git(
    mirror: Path, *arguments: str, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    command = ["git", f"--git-dir={mirror}", "-c", "core.fsmonitor=false", "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=_ENVIRONMENT | variables, capture_output=True, stdin=subprocess.DEVNULL
    )
