"""Checks, before any work, what sandboxes need of this machine."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.errors import InputError, RestartlabError
from harness.paths import cache_dir, state_dir
from harness.sandbox import host
from harness.sandbox.bubblewrap import BubblewrapSandbox
from harness.sandbox.bwrap import find_bwrap, version_of
from harness.sandbox.interface import Limits, Mounts, SandboxLost
from harness.sandbox.interpreter import choose
from harness.workspace.files import remove_tree

#: Free space below which a collection is likely to fail (bytes): bases, layers and blobs.
DISK_WANTED = 2 << 30

_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
PYTHONS = ("3.11", "3.12", "3.13")


@dataclass(frozen=True)
class Check:
    """One finding. ``bad`` keeps sandboxes from running, ``warn`` does not."""

    name: str
    state: Literal["ok", "warn", "bad"]
    found: str
    mend: str = ""


def _programs() -> Check:
    missing = [name for name in ("git", "bash", "cp") if shutil.which(name) is None]
    if missing:
        return Check(
            "programs", "bad", f"missing: {', '.join(missing)}", "install them with the system's package manager"
        )
    return Check("programs", "ok", "git, bash, cp")


def _bubblewrap() -> Check:
    try:
        binary = find_bwrap()
    except InputError as error:
        return Check("bubblewrap", "bad", error.what, error.mend or "")
    return Check("bubblewrap", "ok", f"{'.'.join(map(str, version_of(binary) or ()))} at {binary}")


def _python() -> Check:
    try:
        python = choose(PYTHONS)
    except InputError as error:
        return Check("sandbox python", "bad", error.what, error.mend or "")
    return Check("sandbox python", "ok", f"{python.full_version} at {python.executable}")


def _namespaces_mend() -> str:
    if _APPARMOR.exists() and _APPARMOR.read_text().strip() == "1":
        return (
            "AppArmor restricts user namespaces here (Ubuntu 24.04): allow bwrap in an AppArmor profile with "
            "`userns,`, or `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or use the Docker sandbox"
        )
    return "allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1), or use Docker"


def _try_sandbox() -> Check:
    """Runs one command in a real sandbox with an overlay workspace."""
    state = state_dir()
    state.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="doctor-", dir=state))
    try:
        folder.chmod(0o755)
        for name in ("lower", "upper", "work", "site"):
            (folder / name).mkdir()
            host.give(folder / name)
        (folder / "lower" / "base").write_text("base")
        host.give(folder / "lower" / "base")
        host.visible(folder)
        sandbox = BubblewrapSandbox(choose(PYTHONS), folder / "site")
        sandbox.start(Mounts((folder / "lower",), folder / "upper", folder / "work"), Limits(seconds=20))
        done = sandbox.run("rm base && echo new > changed && git --version >/dev/null && python3 -c 'print(6 * 7)'")
        whole = done.returncode == 0 and done.output.strip() == b"42" and (folder / "upper" / "changed").exists()
        if not whole:
            said = done.output.decode(errors="replace").strip()[-300:]
            return Check("sandbox", "bad", f"a test command failed ({done.returncode}): {said}", _namespaces_mend())
    except (SandboxLost, RestartlabError, OSError) as error:
        return Check("sandbox", "bad", str(error), _namespaces_mend())
    finally:
        remove_tree(folder)
    who = f"uid {host.SANDBOX_UID}, as root must not run it itself" if host.is_root() else "this user"
    return Check("sandbox", "ok", f"namespaces, overlay and seccomp work; it runs as {who}")


def _disk() -> Check:
    free = []
    for folder in (state_dir(), cache_dir()):
        place = folder
        while not place.exists():
            place = place.parent
        free.append((shutil.disk_usage(place).free, folder))
        if not os.access(place, os.W_OK):
            return Check(
                "disk", "bad", f"{place} is not writable", "choose another place (RESTARTLAB_STATE, XDG_CACHE_HOME)"
            )
    least, folder = min(free)
    if least < DISK_WANTED:
        return Check("disk", "warn", f"{least >> 20} MiB free for {folder}", "make room: a stage needs up to 2 GiB")
    return Check("disk", "ok", f"{least >> 30} GiB free")


def _limits() -> Check:
    return Check(
        "limits", "ok",
        "per process: files, processes, file size, address space (rlimit); in total: memory, disk, inodes (watchdog)",
    )  # fmt: skip


def _docker(wanted: bool) -> Check:
    """The engine and its image; without them only stages on Docker cannot run."""
    from harness.sandbox.docker.engine import DEFAULT_IMAGE, image_id

    try:
        image = image_id(DEFAULT_IMAGE)
    except InputError as error:
        if wanted:
            return Check("docker", "bad", error.what, error.mend or "")
        return Check("docker", "ok", f"not used: {error.what}; only stages on the Docker sandbox need it")
    return Check("docker", "ok", f"an engine answers; {DEFAULT_IMAGE} is {image[7:19]}")


def examine(kind: str | None = None) -> list[Check]:
    """All checks; the bubblewrap sandbox is tried for real when its parts are there.

    Args:
        kind: look only at what this kind of sandbox needs.
    """
    checks = [_programs(), _python(), _disk()]
    if kind in (None, "bubblewrap"):
        checks.insert(1, _bubblewrap())
        if not any(check.state == "bad" for check in checks):
            checks.append(_try_sandbox())
    if kind in (None, "docker"):
        checks.append(_docker(wanted=kind == "docker"))
    return [*checks, _limits(), Check("own python", "ok", f"{sys.version.split()[0]} at {sys.executable}")]


def require_sandbox(kind: str) -> None:
    """Raises ``InputError`` with what is missing and how to mend it; does nothing when such sandboxes run here."""
    for check in examine(kind):
        if check.state == "bad":
            raise InputError(check.found, file=check.name, mend=check.mend)
