"""Commands go in and output comes out byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxes import Box, make_box
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.sandbox.interface import Limits

pytestmark = pytest.mark.needs_bwrap
CAP = 4096


@pytest.fixture
def capped(box_folder: Path) -> Box:
    return make_box(box_folder, limits=Limits(seconds=30, output_bytes=CAP))


@pytest.mark.parametrize("size", [0, 1, CAP - 1, CAP])
def test_output_up_to_the_cap_is_whole(capped: Box, size: int) -> None:
    done = capped.run(f"head -c {size} /dev/zero | tr '\\0' x")
    assert (done.output, done.truncated_bytes) == (b"x" * size, 0)


@pytest.mark.parametrize("over", [1, 2, 100_000])
def test_output_past_the_cap_is_marked(capped: Box, over: int) -> None:
    done = capped.run(f"printf A; head -c {CAP + over - 2} /dev/zero | tr '\\0' x; printf Z; exit 4")
    mark = b"\n[... %d bytes of output dropped ...]\n" % over
    assert done.truncated_bytes == over
    assert done.output == b"A" + b"x" * (CAP // 2 - 1) + mark + b"x" * (CAP // 2 - 1) + b"Z"
    assert (done.returncode, done.limit) == (4, None)


def test_binary_output_is_lossless(box_folder: Path) -> None:
    data = bytes(range(256)) * 600 + b"\r\n\r\xff\xfe"
    box = make_box(box_folder, {"data": data})
    assert box.run("cat data").output == data
    assert box.run("cat data >&2").output == data


def test_errors_and_output_arrive_in_order(box: Box) -> None:
    assert box.run("for i in 1 2 3; do echo out$i; echo err$i >&2; done").output.split() == [
        b"out1", b"err1", b"out2", b"err2", b"out3", b"err3",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [99_900, 100_100, 131_072, 400_000])
def test_commands_longer_than_an_argument_may_be(box: Box, size: int) -> None:
    text = "0123456789" * (size // 10)
    done = box.run(f"cat > file <<'END'\n{text}\nEND\nwc -c < file; echo $0 $#; exit 7")
    assert (done.output.split(), done.returncode) == ([str(len(text) + 1).encode(), b"bash", b"0"], 7)


@pytest.mark.parametrize("padding", ["", "x" * 120_000], ids=["short", "long"])
@pytest.mark.parametrize("ending", ["return 3", "exit 3", "false"])
def test_long_commands_end_as_short_ones(box: Box, padding: str, ending: str) -> None:
    done = box.run(f": {padding}\ncat\necho said; sleep 60 & {ending}")
    code = {"return 3": 1, "exit 3": 3, "false": 1}[ending]
    if ending != "return 3":
        assert done.returncode == code
    assert b"said" in done.output
    assert done.background_left


def test_odd_bytes_in_a_command(box: Box) -> None:
    odd = "ä €\u2028 \udcff\udc80 'quoted' \"double\" $HOME `tick` \\ \t \x01 \x7f %s \r end"
    wanted = odd.encode("utf-8", "surrogateescape")
    assert box.run(f"cat <<'END'\n{odd}\nEND").output == wanted + b"\n"
    assert box.run(f"cat <<'END'\n{odd}\nEND\n: {'x' * 120_000}").output == wanted + b"\n"


def test_a_command_that_looks_like_options_is_a_command(box: Box) -> None:
    assert box.run("-c 'echo no'").returncode == 127
    assert box.run("--version").returncode == 127
    assert box.run("").returncode == 0
    assert box.run("# only a comment").returncode == 0


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=200))
def test_any_text_reaches_the_shell_unchanged(shared_box: Box, text: str) -> None:
    quoted = "'" + text.replace("'", "'\\''") + "'"
    assert shared_box.run(f"printf %s {quoted}").output == text.encode()
