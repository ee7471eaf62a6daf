"""The cap on a command's output."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from harness.sandbox.output import CappedOutput

MARK = re.compile(rb"\n\[\.\.\. (\d+) bytes of output dropped \.\.\.\]\n")


def captured(data: bytes, cap: int, piece: int) -> CappedOutput:
    output = CappedOutput(cap)
    for start in range(0, len(data), piece):
        output.add(data[start : start + piece])
    return output


@given(data=st.binary(max_size=300), cap=st.integers(0, 320), piece=st.integers(1, 40))
def test_keeps_head_and_tail_and_counts_the_rest(data: bytes, cap: int, piece: int) -> None:
    output = captured(data, cap, piece)
    if len(data) <= cap:
        assert output.data() == data
        assert output.truncated == 0
        return
    head, tail = data[: cap - cap // 2], data[len(data) - cap // 2 :]
    assert output.truncated == len(data) - cap
    assert output.data() == head + b"\n[... %d bytes of output dropped ...]\n" % (len(data) - cap) + tail


def test_memory_stays_bounded_however_much_arrives() -> None:
    output, piece, total = CappedOutput(1000), b"x" * 65536, 0
    for _ in range(200):
        output.add(piece)
        total += len(piece)
        assert len(output._head) + len(output._tail) < 4 * 65536
    assert output.truncated == total - 1000
    assert MARK.sub(b"", output.data()) == b"x" * 1000


def test_a_character_split_over_two_reads_is_whole_again() -> None:
    assert captured("naïve ∑".encode(), 100, 1).data().decode() == "naïve ∑"
