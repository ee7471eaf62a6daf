"""Text for terminals: nothing that an agent wrote acts on one."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cli.text import harmless, last_command, money, one_line, span

TEXT = st.text(st.characters() | st.characters(categories=["Cs"]))
#: Unicode's Bidi_Control property, and the line and paragraph separators.
REORDERING = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b[2J\x1b[1;1H", "\\x1b[2J\\x1b[1;1H"),
        ("\x1b]52;c;cm0gLXJmIH4=\x07", "\\x1b]52;c;cm0gLXJmIH4=\\x07"),
        ("\x1b]0;title\x1b\\", "\\x1b]0;title\\x1b\\"),
        ("\x1b]8;;file:///etc\x07here", "\\x1b]8;;file:///etc\\x07here"),
        ("\x1bP+q\x1b\\", "\\x1bP+q\\x1b\\"),
        ("\x9b31m \x9d52;c;\x9c \x90q", "\\x9b31m \\x9d52;c;\\x9c \\x90q"),
        ("pass\rfail", "pass\\x0dfail"),
        ("a\b\b\x7fb\x00\v\f", "a\\x08\\x08\\x7fb\\x00\\x0b\\x0c"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2066a\u2069 \u061c \u200f", "\\u2066a\\u2069 \\u061c \\u200f"),
        ("one\u2028two\u2029three\x85", "one\\u2028two\\u2029three\\x85"),
        ("half \ud83d", "half \\ud83d"),
        ("kept: \t\n é 漢 🙂 \\x1b", "kept: \t\n é 漢 🙂 \\x1b"),
    ],
)
def test_escapes_are_shown_and_do_not_act(text: str, shown: str) -> None:
    assert harmless(text) == shown


@given(TEXT)
def test_no_control_or_reordering_character_is_left(text: str) -> None:
    shown = harmless(text)
    for character in shown:
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert ord(character) not in REORDERING
    shown.encode("utf-8")
    assert harmless(shown) == shown


@pytest.mark.parametrize("code", [*range(32), *range(0x7F, 0xA0), *REORDERING, 0x2028, 0x2029, 0xD800, 0xDFFF])
def test_every_harmful_character_is_shown_by_its_number(code: int) -> None:
    expected = chr(code) if chr(code) in "\n\t" else (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")
    assert harmless(chr(code)) == expected


@given(TEXT, st.integers(1, 30))
def test_one_line_is_one_line(text: str, most: int) -> None:
    line = one_line(text, most)
    assert len(line) <= most
    assert len(line.splitlines()) <= 1
    whole = one_line(text, 10**6)
    assert line == whole or (line.endswith("…") and whole.startswith(line[:-1]))


def test_one_line_says_that_something_is_left_out() -> None:
    assert one_line("a  b\n\tc", 10) == "a b c"
    assert one_line("abcdef", 6) == "abcdef"
    assert one_line("abcdefg", 6) == "abcde…"
    assert one_line(" \n ", 6) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0s"), (4.24, "4.2s"), (59.94, "59.9s"), (59.96, "1m00s"), (60, "1m00s"), (185.4, "3m05s"),
        (3599.4, "59m59s"), (3599.6, "1h00m"), (7800, "2h10m"), (360000, "100h00m"),
    ],
)  # fmt: skip
def test_span(seconds: float, text: str) -> None:
    assert span(seconds) == text


@pytest.mark.parametrize(
    ("dollars", "unknown", "text"),
    [
        (None, 0, "no cost"), (None, 3, "cost unknown"), (0.0, 0, "$0.00"), (12.345, 0, "$12.35"),
        (0.5, 1, "$0.50 and 1 try of unknown cost"), (0.5, 2, "$0.50 and 2 tries of unknown cost"),
    ],
)  # fmt: skip
def test_money(dollars: float | None, unknown: int, text: str) -> None:
    assert money(dollars, unknown) == text


def line(kind: str, **facts: object) -> bytes:
    return json.dumps({"type": kind, **facts}, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def test_the_last_command_of_a_growing_trajectory(tmp_path: Path) -> None:
    path = tmp_path / "trajectory"
    assert last_command(path) == (0, "")
    path.touch()
    assert last_command(path) == (0, "")
    path.write_bytes(line("start") + line("call", call=1))
    assert last_command(path) == (0, "")
    first = line("action", call=1, command="ls")
    second = line("action", call=2, command="rm -rf \x1b[2J\n\u202eb \ud83d")
    path.write_bytes(line("start") + first + line("verdict", call=1) + second + line("call", call=3))
    assert last_command(path) == (2, "rm -rf \\x1b[2J \\u202eb \\ud83d")
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        seen = (len(line("start") + first) - 1, len(whole) - len(line("call", call=3)) - 1)
        assert last_command(path)[0] == sum(cut >= end for end in seen)


@pytest.mark.parametrize("window", [1, 10, 100, 1000, 65536])
def test_only_as_much_of_the_tail_is_read_as_is_needed(tmp_path: Path, window: int) -> None:
    path = tmp_path / "trajectory"
    action = line("action", call=7, command="cat large", output="x" * 5000)
    path.write_bytes(line("action", call=6, command="ls") + action + line("verdict", call=7, detail="y" * 3000))
    assert last_command(path, window) == (7, "cat large")
    # What stands before the tail is not looked at: it may be large, and here it is not even text.
    path.write_bytes(b"\xff" * 100_000 + b"\n" + line("action", call=8, command="pwd"))
    assert last_command(path, window) == (8, "pwd")
