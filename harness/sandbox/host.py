"""The host side of a sandbox: who runs it, and under which path that user sees each file.

An ordinary user runs bubblewrap as himself, on the paths as they are. Root must not: uid 0 outside could write the
host's /proc/sys and leave setuid-root files in a workspace. So root starts bubblewrap as a dedicated uid, which cannot
pass a 0700 home; therefore the process first takes a private mount namespace and binds what the sandbox needs at
neutral places below ``/run/restartlab``. Nothing of that is visible to other processes of the host, it ends with this
process, and no mode of any user's folder is changed.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import pwd
import threading
from pathlib import Path

from harness.errors import InputError
from harness.sandbox.interface import SandboxLost

#: uid and gid that root hands sandboxes to. Outside the ranges that distributions and systemd hand out.
SANDBOX_UID = int(os.environ.get("RESTARTLAB_SANDBOX_UID", "59187"))

_CLONE_NEWNS = 0x00020000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC = 0x1, 0x2, 0x4, 0x8, 0x20, 0x1000, 0x4000
MS_PRIVATE, _MS_SLAVE, _MS_SHARED = 0x40000, 0x80000, 0x100000
_MNT_DETACH = 0x2
#: Where root shows the sandbox's uid what it needs.
PLACE = Path("/run/restartlab")
#: Where it puts mounts together before it shows them.
WORKSHOP = PLACE / "workshop"
#: Top folders whose mounts bubblewrap may need; it looks through the table of all mounts at each step.
_NEEDED = ("proc", "dev", "usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "nix", "gnu")

_libc = ctypes.CDLL(None, use_errno=True)
#: Held while something is mounted.
lock = threading.Lock()
_bound: dict[Path, Path] = {}
_numbers = itertools.count()
_private = False


def is_root() -> bool:
    """Whether sandboxes must be handed to the dedicated uid."""
    return os.geteuid() == 0


def owner() -> int:
    """The uid that owns workspaces and bases, outside the sandbox."""
    return SANDBOX_UID if is_root() else os.geteuid()


def give(path: Path) -> None:
    """Makes the sandbox's uid the owner of ``path`` (one file, links not followed); a no-op for ordinary users."""
    if is_root():
        os.chown(path, SANDBOX_UID, SANDBOX_UID, follow_symlinks=False)


def _check(result: int, what: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise InputError(
            f"root cannot {what}: {os.strerror(error)}",
            mend="run as an ordinary user, or give this container CAP_SYS_ADMIN",
        )


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """mount(2), for root in this process's private mount namespace."""
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    _check(_libc.mount(encoded[0], encoded[1], encoded[2], flags, encoded[3]), f"mount {target}")


def prepare() -> None:
    """Takes the private mount namespace; for root only, once per process, before threads start."""
    global _private
    if not is_root():
        return
    with lock:
        if _private:
            return
        try:
            name = pwd.getpwuid(SANDBOX_UID).pw_name
        except KeyError:
            pass
        else:
            raise InputError(
                f"uid {SANDBOX_UID} for sandboxes belongs to the user {name!r}",
                file="RESTARTLAB_SANDBOX_UID",
                mend="set RESTARTLAB_SANDBOX_UID to an unused uid",
            )
        os.umask(0o022)  # or the sandbox's uid could not read what this process writes for it
        _check(_libc.unshare(_CLONE_NEWNS), "take a private mount namespace")
        mount("none", "/", None, MS_REC | MS_PRIVATE)
        PLACE.mkdir(mode=0o755, exist_ok=True)
        mount("restartlab", str(PLACE), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m")
        mount("none", str(PLACE), None, _MS_SHARED)  # for threads that ``narrow``
        WORKSHOP.mkdir(mode=0o700)
        mount("restartlab", str(WORKSHOP), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700,size=1m")
        mount("none", str(WORKSHOP), None, MS_PRIVATE)
        _private = True


def narrow() -> None:
    """Leaves the calling thread, root's, only the mounts that bubblewrap needs; ``visible`` still reaches it."""
    _check(_libc.unshare(_CLONE_NEWNS), "take a private mount namespace")
    mount("none", str(PLACE), None, MS_REC | _MS_SLAVE)
    places = [line.split()[4] for line in Path("/proc/thread-self/mountinfo").read_text().splitlines()]
    for place in map(Path, reversed(places)):
        shown = PLACE in (place, *place.parents) and place != WORKSHOP
        if place != Path("/") and place.parts[1] not in _NEEDED and not shown:
            _libc.umount2(os.fsencode(place), _MNT_DETACH)  # one that does not go costs a little time


def visible(path: Path) -> Path:
    """The place where the sandbox's uid sees ``path``: itself for ordinary users, a neutral bind for root.

    A path below an already bound folder needs no bind of its own; bind the few folders that hold everything.

    Raises:
        SandboxLost: there is nothing at ``path`` (found by root only; for others the sandbox does not start).
    """
    path = Path(os.path.abspath(path))
    if not is_root():
        return path
    prepare()
    with lock:
        for parent in (path, *path.parents):
            if parent in _bound:
                if _same(parent, _bound[parent]):
                    return _bound[parent] / path.relative_to(parent)
                _libc.umount2(os.fsencode(_bound.pop(parent)), _MNT_DETACH)  # the folder was removed and made anew
        if not path.exists():
            raise SandboxLost(f"{path} is not there any more")
        target = PLACE / str(next(_numbers))
        if path.is_dir():
            target.mkdir(mode=0o755)
        else:
            target.touch(mode=0o644)
        mount(str(path), str(target), None, MS_BIND | MS_REC)
        _bound[path] = target
        return target


def _same(path: Path, target: Path) -> bool:
    """Whether ``target`` still shows what is at ``path``."""
    try:
        return os.path.samestat(os.stat(path), os.stat(target))
    except OSError:
        return False
