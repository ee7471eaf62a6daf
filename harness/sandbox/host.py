"""The host side of a sandbox: who runs it, and under which path that user sees each file.

An ordinary user runs bubblewrap as himself, on the paths as they are. Root must not: uid 0 outside could write the
host's /proc/sys and leave setuid-root files in a workspace. So root starts bubblewrap as a dedicated uid, which cannot
pass a 0700 home; therefore the process first takes a private mount namespace and binds what the sandbox needs at
neutral places below ``/run/restartlab``. Nothing of that is visible to other processes of the host, it ends with this
process, and no mode of any user's folder is changed.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import subprocess
import threading
from functools import lru_cache
from pathlib import Path

from harness.errors import InputError
from harness.sandbox.interface import SandboxLost

#: uid and gid that root hands sandboxes to. Outside the ranges that distributions and systemd hand out.
SANDBOX_UID = int(os.environ.get("RESTARTLAB_SANDBOX_UID", "59187"))

_CLONE_NEWNS = 0x00020000
_MS_BIND, _MS_REC, _MS_PRIVATE, _MS_NOSUID, _MS_NODEV = 0x1000, 0x4000, 0x40000, 0x2, 0x4
_PLACE = Path("/run/restartlab")

_libc = ctypes.CDLL(None, use_errno=True)
_lock = threading.Lock()
_bound: dict[Path, Path] = {}
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


def identity() -> tuple[list[str], dict[str, object]]:
    """Words before a command, and arguments for ``subprocess.Popen``, that start a process as the sandbox's uid.

    For ``user=`` Python forks, which copies the page tables of this process (10 ms and more once it holds 100 MB); for
    a program that changes the uid it does not.
    """
    if not is_root():
        return [], {}
    if changer := _uid_changer():
        return changer, {}
    return [], {"user": SANDBOX_UID, "group": SANDBOX_UID, "extra_groups": []}


@lru_cache(maxsize=1)
def _uid_changer() -> list[str] | None:
    """util-linux's unshare, asked for no namespace: half of setpriv's time, as it looks up no names. None: not here."""
    changer = ["/usr/bin/unshare", f"--setuid={SANDBOX_UID}", f"--setgid={SANDBOX_UID}", "--"]
    try:
        said = subprocess.run([*changer, "/usr/bin/id", "-u"], capture_output=True, stdin=subprocess.DEVNULL).stdout
    except OSError:
        return None
    return changer if said.split() == [str(SANDBOX_UID).encode()] else None


def _check(result: int, what: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise InputError(
            f"root cannot {what}: {os.strerror(error)}",
            mend="run as an ordinary user, or give this container CAP_SYS_ADMIN",
        )


def _mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    _check(_libc.mount(encoded[0], encoded[1], encoded[2], flags, encoded[3]), f"mount {target}")


def prepare() -> None:
    """Takes the private mount namespace; for root only, once per process, before threads start."""
    global _private
    if not is_root():
        return
    with _lock:
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
        _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
        _PLACE.mkdir(mode=0o755, exist_ok=True)
        _mount("restartlab", str(_PLACE), "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
        _private = True


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
    with _lock:
        for parent in (path, *path.parents):
            if parent in _bound:
                return _bound[parent] / path.relative_to(parent)
        if not path.exists():
            raise SandboxLost(f"{path} is not there any more")
        target = _PLACE / str(len(_bound))
        if path.is_dir():
            target.mkdir(mode=0o755)
        else:
            target.touch(mode=0o644)
        _mount(str(path), str(target), None, _MS_BIND | _MS_REC)
        _bound[path] = target
        return target
