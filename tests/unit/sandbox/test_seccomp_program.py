"""The system-call filter, run instruction by instruction against what it should say."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest
from bpf import ALLOW, ERRNO, run_filter
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.sandbox.seccomp import _NUMBERS, REFUSED, UNSUPPORTED, program

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16}
#: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET (linux/sched.h).
NAMESPACES = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
#: What glibc passes to start a thread, and a process.
THREAD, PROCESS = 0x3D0F00, 0x1200011
HEADERS = {"x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "/usr/include/asm-generic/unistd.h"}

machines = pytest.mark.parametrize("machine", ARCH)


def verdict(machine: str, call: str | int, *arguments: int, arch: int | None = None) -> int | None:
    """Error number that the filter answers with; None where it lets the call pass."""
    number = _NUMBERS[machine][call] if isinstance(call, str) else call
    value = run_filter(program(machine), ARCH[machine] if arch is None else arch, number, arguments)
    if value == ALLOW:
        return None
    assert value & 0xFFFF0000 == ERRNO
    return value & 0xFFFF


@machines
def test_only_confined_socket_families_pass(machine: str) -> None:
    allowed = {family for family in range(64) if verdict(machine, "socket", family, 1, 0) is None}
    assert allowed == set(FAMILIES.values())
    assert (
        verdict(machine, "socket", 40, 1) == errno.EAFNOSUPPORT
    )  # AF_VSOCK reaches the host past any network namespace


@machines
def test_the_upper_half_of_an_int_argument_changes_nothing(machine: str) -> None:
    """The kernel reads family, flags and request as 32 bits; a filter must not be fooled by what is above."""
    high = 0xDEADBEEF << 32
    assert verdict(machine, "socket", high | 40) == errno.EAFNOSUPPORT
    assert verdict(machine, "socket", high | 2) is None
    assert verdict(machine, "ioctl", 0, high | 0x5412) == errno.EPERM


@machines
def test_clone_starts_threads_and_processes_but_no_namespace(machine: str) -> None:
    assert verdict(machine, "clone", THREAD) is None
    assert verdict(machine, "clone", PROCESS) is None
    for flag in NAMESPACES:
        assert verdict(machine, "clone", PROCESS | flag) == errno.EPERM, hex(flag)
    assert verdict(machine, "clone3") == errno.ENOSYS  # its flags lie in memory, where a filter cannot look


@machines
def test_terminal_injection_is_refused_and_other_requests_pass(machine: str) -> None:
    assert verdict(machine, "ioctl", 0, 0x5412) == errno.EPERM  # TIOCSTI
    assert verdict(machine, "ioctl", 0, 0x541C) == errno.EPERM  # TIOCLINUX
    for request in (0x5401, 0x5413, 0x541B, 0x5411, 0x541D):  # TCGETS, TIOCGWINSZ, FIONREAD, and both neighbours
        assert verdict(machine, "ioctl", 0, request) is None, hex(request)


@machines
def test_every_listed_call_is_refused(machine: str) -> None:
    assert {name for name in REFUSED if verdict(machine, name) != errno.EPERM} == set()
    assert {verdict(machine, name) for name in UNSUPPORTED} == {errno.EOPNOTSUPP}
    assert {*REFUSED, *UNSUPPORTED} | {"socket", "clone", "clone3", "ioctl"} == set(_NUMBERS[machine])


@machines
def test_no_other_call_is_touched(machine: str) -> None:
    listed = set(_NUMBERS[machine].values())
    assert {number for number in range(600) if number not in listed and verdict(machine, number) is not None} == set()


def test_other_architectures_and_x32_are_refused() -> None:
    read = 0
    assert verdict("x86_64", read, arch=0x40000003) == errno.ENOSYS  # i386 calls, by int 0x80
    assert verdict("x86_64", 0x40000000 | read) == errno.ENOSYS  # x32
    assert verdict("x86_64", 0x40000000 | 41, 40) == errno.ENOSYS
    assert verdict("x86_64", 0xFFFFFFFF) == errno.ENOSYS
    assert verdict("aarch64", 63, arch=0x40000028) == errno.ENOSYS  # 32-bit ARM


@machines
@given(number=st.integers(0, 2**32 - 1), first=st.integers(0, 2**64 - 1), second=st.integers(0, 2**64 - 1))
def test_any_call_ends_in_a_verdict(machine: str, number: int, first: int, second: int) -> None:
    assert verdict(machine, number, first, second) in (None, errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT)


@machines
def test_numbers_are_those_of_the_kernel_headers(machine: str) -> None:
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip(f"no {header} here")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    wrong = {n: (v, defined[n]) for n, v in _NUMBERS[machine].items() if n in defined and int(defined[n]) != v}
    assert wrong == {}
    assert len(set(_NUMBERS[machine]) & set(defined)) > 40  # the pattern still finds the definitions


@machines
def test_jumps_stay_within_eight_bits_and_the_program_within_the_kernels_limit(machine: str) -> None:
    assert len(program(machine)) % 8 == 0
    assert len(program(machine)) // 8 <= 4096


def test_an_unknown_machine_is_named() -> None:
    with pytest.raises(InputError, match="riscv64"):
        program("riscv64")
