"""The system-call filter of the sandbox, as a classic BPF program for ``bwrap --seccomp``.

It refuses what namespaces leave open (AF_VSOCK and other exotic socket families, keyrings, io_uring, terminal
injection), what a build or test never needs (mounting, tracing, kernel modules, new namespaces), memory that no
process shows as its own (memfd, System V objects), as the watchdog could not count it, and fallocate. A refused call
returns an error to the program; it is not killed.
"""

from __future__ import annotations

import errno
import platform
import struct

from harness.errors import InputError

# Classic BPF opcodes (linux/bpf_common.h) and seccomp return values (linux/seccomp.h).
_LOAD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NR, _ARCH, _ARG0, _ARG1 = 0, 4, 16, 24

NAMESPACE_FLAGS = 0x7E020000  # any CLONE_NEW* namespace flag, CLONE_NEWTIME aside (not valid for clone)
SOCKET_FAMILIES = (1, 2, 10, 16)  # unix, inet, inet6, netlink: confined by the network namespace
TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

REFUSED = (
    "ptrace process_vm_readv process_vm_writev mount umount2 pivot_root chroot move_mount fsopen fsconfig fsmount "
    "fspick open_tree mount_setattr setns unshare add_key request_key keyctl bpf perf_event_open userfaultfd "
    "io_uring_setup io_uring_enter io_uring_register kexec_load init_module finit_module delete_module "
    "open_by_handle_at name_to_handle_at reboot swapon swapoff syslog acct settimeofday clock_settime clock_adjtime "
    "adjtimex quotactl lookup_dcookie nfsservctl kcmp pidfd_getfd process_madvise fanotify_init "
    "memfd_create memfd_secret shmget msgget semget"
).split()

#: Takes space on a disk faster than a watchdog can look; libraries fall back to writing when a file system has it not.
UNSUPPORTED = ("fallocate",)

# System-call numbers: asm/unistd_64.h and asm-generic/unistd.h.
_NUMBERS: dict[str, dict[str, int]] = {
    "x86_64": {
        "socket": 41, "clone": 56, "ioctl": 16, "clone3": 435, "ptrace": 101, "process_vm_readv": 310,
        "process_vm_writev": 311, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "move_mount": 429,
        "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "open_tree": 428, "mount_setattr": 442,
        "setns": 308, "unshare": 272, "add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321,
        "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "kexec_load": 246, "init_module": 175, "finit_module": 313, "delete_module": 176,
        "open_by_handle_at": 304, "name_to_handle_at": 303, "reboot": 169, "swapon": 167, "swapoff": 168,
        "syslog": 103, "acct": 163, "settimeofday": 164, "clock_settime": 227, "clock_adjtime": 305, "adjtimex": 159,
        "quotactl": 179, "lookup_dcookie": 212, "nfsservctl": 180, "kcmp": 312, "pidfd_getfd": 438,
        "process_madvise": 440, "fanotify_init": 300, "memfd_create": 319, "memfd_secret": 447, "shmget": 29,
        "msgget": 68, "semget": 64, "fallocate": 285,
    },
    "aarch64": {
        "socket": 198, "clone": 220, "ioctl": 29, "clone3": 435, "ptrace": 117, "process_vm_readv": 270,
        "process_vm_writev": 271, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "move_mount": 429,
        "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "open_tree": 428, "mount_setattr": 442,
        "setns": 268, "unshare": 97, "add_key": 217, "request_key": 218, "keyctl": 219, "bpf": 280,
        "perf_event_open": 241, "userfaultfd": 282, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "kexec_load": 104, "init_module": 105, "finit_module": 273, "delete_module": 106,
        "open_by_handle_at": 265, "name_to_handle_at": 264, "reboot": 142, "swapon": 224, "swapoff": 225,
        "syslog": 116, "acct": 89, "settimeofday": 170, "clock_settime": 112, "clock_adjtime": 266, "adjtimex": 171,
        "quotactl": 60, "lookup_dcookie": 18, "nfsservctl": 42, "kcmp": 272, "pidfd_getfd": 438,
        "process_madvise": 440, "fanotify_init": 262, "memfd_create": 279, "memfd_secret": 447, "shmget": 194,
        "msgget": 186, "semget": 190, "fallocate": 47,
    },
}  # fmt: skip
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def _op(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, true, false, value)


def _refuse(error: int) -> bytes:
    return _op(_RET, _ERRNO | error)


def program(machine: str | None = None) -> bytes:
    """The filter for ``machine`` (default: this one), as an array of ``struct sock_filter``.

    Raises:
        InputError: no table for that machine.
    """
    machine = machine or platform.machine()
    if machine not in _NUMBERS:
        raise InputError(
            f"no system-call table for {machine!r}", mend=f"use one of {', '.join(_NUMBERS)}, or the Docker sandbox"
        )
    number = _NUMBERS[machine]
    parts = [_op(_LOAD, _ARCH), _op(_JEQ, _AUDIT_ARCH[machine], 1, 0), _refuse(errno.ENOSYS), _op(_LOAD, _NR)]
    if machine == "x86_64":  # the x32 calls share the architecture word
        parts += [_op(_JGE, 0x40000000, 0, 1), _refuse(errno.ENOSYS)]
    # glibc falls back from clone3 to clone, whose flags a filter can read.
    parts += [_op(_JEQ, number["clone3"], 0, 1), _refuse(errno.ENOSYS)]
    for name in REFUSED:
        parts += [_op(_JEQ, number[name], 0, 1), _refuse(errno.EPERM)]
    for name in UNSUPPORTED:
        parts += [_op(_JEQ, number[name], 0, 1), _refuse(errno.EOPNOTSUPP)]
    allowed = len(SOCKET_FAMILIES)
    parts += [_op(_JEQ, number["socket"], 0, allowed + 3), _op(_LOAD, _ARG0)]
    parts += [_op(_JEQ, family, allowed - i, 0) for i, family in enumerate(SOCKET_FAMILIES)]
    parts += [_refuse(errno.EAFNOSUPPORT), _op(_RET, _ALLOW)]
    parts += [_op(_JEQ, number["clone"], 0, 4), _op(_LOAD, _ARG0), _op(_JSET, NAMESPACE_FLAGS, 0, 1)]
    parts += [_refuse(errno.EPERM), _op(_RET, _ALLOW)]
    parts += [_op(_JEQ, number["ioctl"], 0, 5), _op(_LOAD, _ARG1)]
    parts += [_op(_JEQ, TERMINAL_INJECTION[0], 1, 0), _op(_JEQ, TERMINAL_INJECTION[1], 0, 1)]
    parts += [_refuse(errno.EPERM), _op(_RET, _ALLOW), _op(_RET, _ALLOW)]
    return b"".join(parts)
