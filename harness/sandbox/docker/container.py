"""One container: made from mounts and limits, gone with the process that holds it.

Its first process is ``cat``, which reads from a connection that this process holds open. When this process ends,
however it ends, the engine closes that input, ``cat`` ends, and the engine removes the container and the anonymous
volume that is its workspace. Commands run as another user, who can neither signal ``cat`` nor outlive it.

A container shows a workspace of this host on a root that nobody can write; or, for programs that expect their image as
it is, the image's own tree, which root inside may write until it goes with the container.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import time
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.sandbox import host
from harness.sandbox.docker.cgroup import ContainerGroup
from harness.sandbox.docker.engine import client
from harness.sandbox.docker.labels import own_labels
from harness.sandbox.docker.seccomp import profile
from harness.sandbox.interface import WORKSPACE, Limits, Mounts, SandboxLost
from harness.sandbox.rootfs import HOME

_SMALL_TMPFS = 64 << 20
#: Flag of a process that ends (linux/sched.h).
_PF_EXITING = 0x4
#: Who holds a container open whose commands run as root: a root without the right to signal others.
_NOBODY = "65534:65534"
#: What root may do in an image's own tree: nothing but with files, whosever they are.
_FILE_RIGHTS = ["CHOWN", "DAC_OVERRIDE", "FOWNER"]
#: Characters that end an option, or part of one, of an overlay mount.
_UNSAFE = set(":,\\\"' \t\n")


class Container:
    """A running container; ``remove`` ends it.

    Args:
        own_tree: show the image's own tree, not a workspace.

    Raises:
        SandboxLost: it did not start.
        InputError: the engine is on another host, or a path cannot be mounted.
    """

    def __init__(
        self, image: str, environment: dict[str, str], mounts: Mounts, limits: Limits, *, own_tree: bool = False
    ):
        from docker.errors import APIError

        self.user = "0:0" if own_tree else f"{host.owner()}:{host.owner()}"
        api = client().api
        arguments = _creation(environment, mounts, limits, own_tree)
        try:
            self.id = str(api.create_container(image, ["cat"], **arguments)["Id"])
            try:
                # Attached first: from now on the container lives as long as this connection.
                self._lifeline = api.attach_socket(self.id, params={"stdin": 1, "stream": 1})
                api.start(self.id)
                self.first = int(api.inspect_container(self.id)["State"]["Pid"])
                self._handle = os.pidfd_open(self.first)
                self.group = ContainerGroup.of(self.first)
                self.own = self._own_processes()
            except BaseException:
                self._remove()
                raise
        except (APIError, OSError) as error:
            raise SandboxLost(f"the container did not start: {error}") from error

    def _own_processes(self) -> set[int]:
        """The two processes that are the container's own: init and ``cat``."""
        until = time.monotonic() + 10
        while len(own := self.group.pids()) < 2:
            if time.monotonic() > until:
                raise SandboxLost("the container's first processes did not start")
            time.sleep(0.002)
        return own

    @property
    def alive(self) -> bool:
        """Whether the container's first process lives, and has not begun to end.

        When it does, the kernel ends all others first: a command's end can be seen long before the container's.
        """
        begun = _is_exiting(self.first)  # asked first: once it has ended, its number can be another's
        poller = select.poll()
        poller.register(self._handle, select.POLLIN)
        return not (begun or poller.poll(0))

    def remove(self) -> None:
        """Ends the container and waits until it and its volume are gone."""
        self._remove()
        with contextlib.suppress(OSError):
            os.close(self._handle)

    def _remove(self) -> None:
        from docker.errors import APIError, NotFound

        with contextlib.suppress(NotFound, OSError):
            try:
                client().api.remove_container(self.id, v=True, force=True)
            except APIError as error:
                if error.status_code != 409:  # 409: the engine is removing it already
                    raise
            until = time.monotonic() + 30
            while time.monotonic() < until:
                client().api.inspect_container(self.id)
                time.sleep(0.01)


def _is_exiting(pid: int) -> bool:
    """Whether the kernel has begun to end a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return bool(int(fields[6]) & _PF_EXITING)
    except (OSError, IndexError):
        return False


def _creation(environment: dict[str, str], mounts: Mounts, limits: Limits, own_tree: bool) -> dict[str, Any]:
    from docker.types import Ulimit

    api = client().api
    path = "/opt/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    variables = {"PATH": path, "HOME": HOME, "USER": "agent", "TERM": "dumb", "TMPDIR": "/tmp", "LANG": "C.UTF-8"}
    security = [f"seccomp={profile()}"]
    if own_tree:  # whoever joins such a container as root gets these rights and no others when a program starts
        variables |= {"HOME": "/root", "USER": "root"}
    else:
        security.append("no-new-privileges")
    settings = api.create_host_config(
        mounts=_binds(mounts.read_only) if own_tree else _mounts(mounts), network_mode="none", cap_drop=["ALL"],
        cap_add=_FILE_RIGHTS if own_tree else [], ipc_mode="private", init=True, read_only=not own_tree,
        security_opt=security, pids_limit=limits.processes + 2,
        mem_limit=limits.memory_bytes, memswap_limit=limits.memory_bytes, shm_size=_SMALL_TMPFS, auto_remove=True,
        log_config={"Type": "none"}, tmpfs={} if own_tree else _tmpfs(mounts),
        ulimits=[Ulimit(name="core", soft=0, hard=0), Ulimit(name="nofile", soft=4096, hard=4096),
                 Ulimit(name="fsize", soft=limits.disk_bytes, hard=limits.disk_bytes)],
    )  # fmt: skip
    return {
        "host_config": settings, "stdin_open": True, "user": _NOBODY if own_tree else "0:0", "hostname": "sandbox",
        "working_dir": WORKSPACE, "labels": own_labels(), "name": f"restartlab-{secrets.token_hex(8)}",
        "entrypoint": [], "environment": variables | environment, "network_disabled": True,
    }  # fmt: skip


def _tmpfs(mounts: Mounts) -> dict[str, str]:
    small = f"rw,nosuid,nodev,mode=1777,size={_SMALL_TMPFS}"
    places = {"/run": f"rw,nosuid,nodev,size={_SMALL_TMPFS}", "/var/tmp": small}
    if mounts.tmp is None:
        places["/tmp"] = small
    if mounts.home is None:
        places[HOME] = small
    return places


def _bind(target: str, source: Path, read_only: bool = True) -> Any:
    from docker.types import Mount

    return Mount(target=target, source=str(source), type="bind", read_only=read_only, propagation="private")


def _binds(read_only: dict[str, Path]) -> list[Any]:
    return [_bind(place, source) for place, source in read_only.items()]


def _mounts(mounts: Mounts) -> list[Any]:
    from docker.types import DriverConfig, Mount

    found = []
    found += [_bind("/tmp", mounts.tmp, False)] if mounts.tmp else []
    found += [_bind(HOME, mounts.home, False)] if mounts.home else []
    if mounts.upper is None or mounts.work is None:
        raise InputError("the Docker sandbox needs a layer to write to", mend="give mounts with upper and work")
    lowers = ":".join(_plain(path) for path in reversed(mounts.lowers))
    options = f"lowerdir={lowers},upperdir={_plain(mounts.upper)},workdir={_plain(mounts.work)},userxattr"
    driver = DriverConfig("local", {"type": "overlay", "device": "overlay", "o": options})
    found.append(
        Mount(target=WORKSPACE, source=None, type="volume", driver_config=driver, no_copy=True, labels=own_labels())
    )
    return found + _binds(mounts.read_only)


def _plain(path: Path) -> str:
    """``path`` as an overlay option."""
    text = os.path.abspath(path)
    if _UNSAFE & set(text):
        raise InputError(
            f"{text!r} has a character that an overlay mount cannot carry", file="RESTARTLAB_STATE or XDG_CACHE_HOME",
            mend="choose a folder without colons, commas, quotes, spaces and backslashes",
        )  # fmt: skip
    return text
