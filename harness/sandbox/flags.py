"""bubblewrap's arguments for one set of mounts: what the sandbox is cut off from, and what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.errors import InputError
from harness.sandbox.host import visible
from harness.sandbox.interface import WORKSPACE, Mounts
from harness.sandbox.interpreter import Interpreter
from harness.sandbox.rootfs import HOME, python_parts, system_parts
from harness.sandbox.tree import root_arguments

_ISOLATION = (
    "--unshare-user --disable-userns --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup "
    "--uid 1000 --gid 1000 --hostname sandbox --die-with-parent --as-pid-1 --new-session --cap-drop ALL --clearenv"
).split()
#: Folder for single files and folders that come from outside.
_RUN = "/run"
#: Place of a command that is too long for an argument.
COMMAND = f"{_RUN}/command"
_SMALL_TMPFS = str(64 << 20)
#: The shell that says what became of a command runs as the command's user: its memory and descriptors are covered.
_FIRST_PROCESS = ("--perms", "0555", "--size", "4096", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1")
#: After all mounts: the root takes no more of them.
_CLOSE = ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORKSPACE)


def fixed_arguments(mounts: Mounts, python: Interpreter, site: Path, environment: Mapping[str, str]) -> list[str]:
    """The arguments that are the same for every command. ``last_arguments`` follow."""
    variables = {
        "PATH": "/opt/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": HOME, "USER": "agent",
        "TERM": "dumb", "TMPDIR": "/tmp", **environment,
    }  # fmt: skip
    arguments = [*_ISOLATION]
    for name, value in variables.items():
        arguments += ["--setenv", name, value]
    arguments += root_arguments([*system_parts(), *python_parts(python, site)])
    arguments += ["--proc", "/proc", *_FIRST_PROCESS, "--dev", "/dev"]
    arguments += ["--perms", "1777", "--size", _SMALL_TMPFS, "--tmpfs", "/dev/shm"]
    for place, kept in (("/tmp", mounts.tmp), (HOME, mounts.home)):
        arguments += ["--bind", str(visible(kept)), place] if kept else ["--size", _SMALL_TMPFS, "--tmpfs", place]
    for lower in mounts.lowers:
        arguments += ["--overlay-src", str(visible(lower))]
    if mounts.upper and mounts.work:
        arguments += ["--overlay", str(visible(mounts.upper)), str(visible(mounts.work)), WORKSPACE]
    else:
        arguments += ["--tmp-overlay", WORKSPACE]
    return arguments


def last_arguments(read_only: Mapping[str, Path], command: int | None = None) -> list[str]:
    """The arguments after ``fixed_arguments``.

    Args:
        read_only: files and folders to show, by place below ``/run``.
        command: descriptor of what becomes the file ``/run/command``.
    """
    shown: list[str] = []
    for place, source in read_only.items():
        if not place.startswith(f"{_RUN}/"):
            raise InputError(f"the sandbox shows {place} below {_RUN} only", mend=f"choose a place below {_RUN}")
        shown += ["--ro-bind", str(visible(source)), place]
    if command is not None:
        shown += ["--ro-bind-data", str(command), COMMAND]
    return [*(["--tmpfs", _RUN, *shown, "--remount-ro", _RUN] if shown else []), *_CLOSE]
