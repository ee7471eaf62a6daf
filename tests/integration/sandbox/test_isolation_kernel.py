"""What a process may ask of the kernel inside a sandbox."""

from __future__ import annotations

import os
import platform
import shutil
import struct
from pathlib import Path

import pytest
from boxes import Box, make_box

from harness.sandbox import host
from harness.sandbox.seccomp import _NUMBERS

pytestmark = pytest.mark.needs_bwrap

_CALLS = {
    # name: arguments. Each would do harm, or succeed, or fail with another error than EPERM, were it not filtered.
    "mount": "None, b'/tmp', b'tmpfs', 0, None", "umount2": "b'/tmp', 0", "pivot_root": "b'/tmp', b'/tmp'",
    "chroot": "b'/'", "unshare": "0", "setns": "-1, 0", "ptrace": "0, 0, 0, 0", "keyctl": "0, -3, 0",
    "add_key": "b'user', b'name', b'value', 5, -1", "bpf": "-1, None, 0", "io_uring_setup": "1, None",
    "userfaultfd": "0", "perf_event_open": "None, 0, -1, -1, 0", "process_vm_readv": "1, None, 0, None, 0, 0",
    "open_by_handle_at": "-1, None, 0", "memfd_create": "b'name', 0", "shmget": "0, 4096, 0o1600",
    "msgget": "0, 0o1600", "semget": "0, 1, 0o1600", "kcmp": "1, 1, 0, 0, 0",
}  # fmt: skip


def test_dangerous_calls_return_eperm(shared_box: Box) -> None:
    numbers = _NUMBERS[platform.machine()]
    calls = "\n".join(f"call({name!r}, {numbers[name]}, {arguments})" for name, arguments in _CALLS.items())
    code = f"""
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    result = libc.syscall(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    print(name, errno.errorcode[ctypes.get_errno()] if result == -1 else result)
{calls}
"""
    assert dict(line.split() for line in shared_box.python(code).splitlines()) == dict.fromkeys(_CALLS, "EPERM")


def test_new_namespaces_are_refused_by_clone_too(shared_box: Box) -> None:
    numbers = _NUMBERS[platform.machine()]
    code = f"""
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def fork(number, *arguments):
    pid = libc.syscall(number, *(ctypes.c_long(a) for a in arguments))
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)
        return "forked"
    return errno.errorcode[ctypes.get_errno()]
clone = {numbers["clone"]}
print(fork(clone, 17, 0, 0, 0, 0), fork(clone, 0x10000000 | 17, 0, 0, 0, 0), fork({numbers["clone3"]}, 0, 0))
"""
    assert shared_box.python(code).split() == ["forked", "EPERM", "ENOSYS"]


@pytest.mark.skipif(not shutil.which("unshare"), reason="no unshare(1) here")
def test_user_namespaces_are_off_even_without_the_filter(box: Box) -> None:
    """Two locks on one door: bwrap's --disable-userns holds when the filter would not."""
    box.sandbox._filter = struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)  # allow everything
    assert box.run("python3 -c 'import os; os.memfd_create(\"x\")'").returncode == 0  # the filter is indeed gone
    done = box.run("unshare -U true")
    assert done.returncode == 1
    assert b"unshare" in done.output


def test_no_privilege_is_held_or_gained(shared_box: Box) -> None:
    status = dict(
        line.split(":\t", 1) for line in shared_box.text("cat /proc/self/status").splitlines() if ":\t" in line
    )
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert status["Uid"].split() == ["1000"] * 4


def test_a_setuid_root_program_runs_as_the_agent(box_folder: Path) -> None:
    if not host.is_root():
        pytest.skip("only root can make a setuid-root program")
    box = make_box(box_folder)
    program = box.mounts.lowers[0] / "id"
    shutil.copy("/usr/bin/id", program)
    os.chown(program, 0, 0)
    program.chmod(0o6755)
    assert box.text("stat -c %a id; ./id -u; ./id -ru; ./id -g").split() == ["6755", "1000", "1000", "1000"]


def test_the_agents_own_setuid_file_stays_the_agents(box: Box) -> None:
    assert box.text("cp /usr/bin/id . && chmod 4755 id && ./id -u").split() == ["1000"]
    copied = (box.mounts.upper / "id").stat()  # type: ignore[operator]
    assert copied.st_uid == host.owner() != 0 or not host.is_root()


def test_devices_are_the_harmless_ones_and_no_other_can_be_made(box: Box) -> None:
    names = set(box.text("ls /dev").split())
    assert names <= {
        "console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty",
        "urandom", "zero",
    }  # fmt: skip
    assert names >= {"null", "zero", "urandom"}
    for node in ("b 8 0", "b 254 0", "c 1 1", "c 1 3", "c 0 0"):
        for folder in ("/testbed", "/dev/shm"):
            done = box.run(f"mknod {folder}/node {node}")
            assert done.returncode == 1 or (node, folder) == ("c 0 0", "/dev/shm"), (node, folder)
    assert list(box.mounts.upper.iterdir()) == []  # type: ignore[union-attr]


def test_overlay_marks_cannot_be_forged(box: Box) -> None:
    """A whiteout or an opaque folder in the layer is overlayfs's own word, never the agent's."""
    box.python("""
import os
os.mkdir("folder")
for name in ("user.overlay.opaque", "user.overlay.whiteout", "user.overlay.redirect", "user.overlay.metacopy"):
    try:
        os.setxattr("folder", name, b"y")
    except OSError:
        pass
""")
    folder = box.mounts.upper / "folder"  # type: ignore[operator]
    for name in ("user.overlay.whiteout", "user.overlay.redirect", "user.overlay.metacopy"):
        with pytest.raises(OSError):
            os.getxattr(folder, name)


def test_terminal_input_cannot_be_injected(shared_box: Box) -> None:
    code = """
import errno, fcntl, os, pty
master, slave = pty.openpty()
for request in (0x5412, 0x541C):
    try:
        fcntl.ioctl(slave, request, b"x")
        print("injected")
    except OSError as error:
        print(errno.errorcode[error.errno])
try:
    os.open("/dev/tty", os.O_RDWR)
    print("terminal")
except OSError:
    print("none")
"""
    assert shared_box.python(code).split() == ["EPERM", "EPERM", "none"]


def test_every_namespace_and_the_session_are_the_sandboxs_own(shared_box: Box) -> None:
    code = """
import os
print(os.getsid(0) > 0)
for name in sorted(os.listdir("/proc/self/ns")):
    print(name, os.readlink(f"/proc/self/ns/{name}"))
"""
    session, *lines = shared_box.python(code).splitlines()
    assert session == "True"  # 0 is a session outside, whose terminal could be reached
    inside = dict(line.split() for line in lines)
    for name in ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts"):
        assert inside[name] != os.readlink(f"/proc/self/ns/{name}"), name
