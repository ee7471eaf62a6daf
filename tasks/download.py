"""Fetches pinned files with pip into the cache, checked against their SHA-256."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from harness.canonical import digest_bytes, digest_file
from harness.errors import InfrastructureError
from harness.locks import locked
from harness.paths import cache_dir


def _pip(arguments: list[str], what: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        tail = "\n  ".join((done.stderr or done.stdout).strip().splitlines()[-4:])
        raise InfrastructureError(
            f"pip could not fetch {what}:\n  {tail}\n  mend: check the network and pip's configuration, then run again"
        )


def fetch_sdist(package: str, release: str, sha256: str) -> Path:
    """The source distribution of ``package`` ``release``; from the cache if it is there and whole.

    Raises:
        InfrastructureError: pip failed, or the file has another hash.
    """
    folder = cache_dir() / "sources"
    kept = folder / f"{sha256}.tar.gz"
    with locked(cache_dir() / "locks" / f"sdist-{sha256[:16]}"):
        if kept.exists() and digest_file(kept) == sha256:
            return kept
        fresh = folder / f"{sha256}.new"
        fresh.mkdir(parents=True, exist_ok=True)
        requirement = fresh / "requirement.txt"
        requirement.write_text(f"{package}=={release} --hash=sha256:{sha256}\n")
        options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--require-hashes"]
        _pip(["download", *options, "--dest", str(fresh), "-r", str(requirement)], f"{package} {release}")
        requirement.unlink()
        (found,) = fresh.iterdir()
        os.replace(found, kept)
        fresh.rmdir()
        return kept


def site_folder(lock: Path, python: Path | None = None) -> Path:
    """A folder with the packages of ``lock`` (hash-locked, pure Python wheels), plus the workspace on its path.

    Args:
        python: the interpreter that will use it, if it is not the one that runs this: the packages are compiled for it.
    """
    text = lock.read_bytes()
    folder = cache_dir() / "sites" / digest_bytes(text)[:32]
    with locked(cache_dir() / "locks" / f"site-{folder.name[:16]}"):
        if not folder.exists():
            fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
            options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-compile"]
            _pip(["install", *options, "--target", str(fresh), "-r", str(lock)], "the sandbox's packages")
            (fresh / "workspace.pth").write_text("/testbed\n")
            compiling = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
            subprocess.run(
                [*compiling, str(fresh / "mpmath")],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            os.rename(fresh, folder)
        if python is not None:
            _compile(folder, python)
    return folder


def _compile(folder: Path, python: Path) -> None:
    """Byte-compiles the packages for one more interpreter, once."""
    marker = folder / f"compiled-{digest_bytes(str(python).encode())[:16]}"
    if not marker.exists():
        compiling = [str(python), "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
        subprocess.run(
            [*compiling, str(folder / "mpmath")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        marker.touch()
