"""Base trees of tasks whose source is a released source distribution."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

from harness.errors import InputError
from harness.paths import task_dir
from harness.sandbox.interpreter import Interpreter
from harness.workspace.base import Base, build_base, built_digest
from harness.yamlfile import load_yaml
from tasks.download import fetch_sdist, site_folder
from tasks.package import TaskPackage


def pinned_hash(package: str, release: str) -> str:
    """SHA-256 of a source distribution from ``tasks/sources.yaml``."""
    path = task_dir() / "sources.yaml"
    try:
        return str(load_yaml(path)[package][release])
    except (KeyError, TypeError):
        raise InputError(
            f"no hash for {package} {release}",
            file=path,
            key=package,
            mend="add the release and the SHA-256 of its sdist",
        ) from None


def unpack_sdist(archive: Path, target: Path) -> None:
    """Unpacks a pinned archive without its top folder; modes become 0755 or 0644, owners and times are dropped."""
    with tarfile.open(archive) as tar:
        for member in tar:
            parts = Path(member.name).parts[1:]
            if not parts or ".." in parts:
                continue
            place = target.joinpath(*parts)
            if member.isdir():
                place.mkdir(parents=True, exist_ok=True)
            elif member.issym():
                place.symlink_to(member.linkname)
            elif member.isfile() and (stream := tar.extractfile(member)):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(stream.read())
                place.chmod(0o755 if member.mode & 0o100 else 0o644)
    for folder, _, _ in os.walk(target):
        os.chmod(folder, 0o755)


def base_for(task: TaskPackage, python: Interpreter) -> Base:
    """The base of ``task``, fetched and built if this machine does not have it."""
    source = task.spec.source
    sha256 = pinned_hash(source.package, source.release)
    return build_base(
        {"sdist": sha256},
        lambda target: unpack_sdist(fetch_sdist(source.package, source.release, sha256), target),
        [python.executable],
    )


def site_for(task: TaskPackage) -> Path:
    """The packages of the sandbox's Python for ``task``."""
    return site_folder(task_dir() / "sandbox-site.txt")


def known_base_digest(task: TaskPackage) -> str | None:
    """Digest of the base of ``task`` if this machine has built it; fetches and builds nothing."""
    source = task.spec.source
    return built_digest({"sdist": pinned_hash(source.package, source.release)})
