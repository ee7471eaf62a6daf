"""An interpreter for the few classic BPF instructions that a seccomp filter here uses (linux/bpf_common.h)."""

from __future__ import annotations

import struct

ALLOW = 0x7FFF0000
ERRNO = 0x00050000


def run_filter(program: bytes, arch: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """The value that ``program`` returns for a system call; every load and jump must stay inside."""
    instructions = list(struct.iter_unpack("=HBBI", program))
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    # struct seccomp_data: number, architecture, instruction pointer, six arguments.
    data = struct.pack("=iIQ6Q", _signed(number), arch, 0, *(value % 2**64 for value in padded))
    accumulator = position = 0
    for _ in range(len(instructions)):  # jumps only go forward
        code, true, false, value = instructions[position]
        position += 1
        if code == 0x06:
            return value
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code in (0x15, 0x35, 0x45):
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            position += true if holds else false
        else:
            raise AssertionError(f"unknown instruction {code:#x} at {position - 1}")
    raise AssertionError("the program ran past its end")


def _signed(number: int) -> int:
    return number - 2**32 if number >= 2**31 else number
