"""Which commands submit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents.submission import SENTINEL, is_submission

SUBMITTING = [
    f"echo {SENTINEL}",
    f"  echo   {SENTINEL}  \n",
    f"echo '{SENTINEL}'",
    f'echo "{SENTINEL}"',
    f"echo {SENTINEL} && git diff",
    f"echo {SENTINEL}&&git diff --cached",
    f"echo {SENTINEL} && git add -A &&\ngit diff",
    f"\necho {SENTINEL} && cat <<'EOF'\nanything; at || all\nEOF",
]
OTHER = [
    "", "ls", SENTINEL, "echo", f"echo {SENTINEL.lower()}", f"echo {SENTINEL}S", f"echo X{SENTINEL}",
    f"echo '{SENTINEL}\"", f"echo '{SENTINEL}", f"echo {SENTINEL} done", f"echo -n {SENTINEL}",
    f"echo {SENTINEL}; ls", f"echo {SENTINEL} || ls", f"echo {SENTINEL} | cat", f"echo {SENTINEL} & ls",
    f"echo {SENTINEL}\nls", f"echo {SENTINEL} > file", f"ls && echo {SENTINEL}", f"ls; echo {SENTINEL}",
    f"printf {SENTINEL}", f"cat <<'EOF'\necho {SENTINEL}\nEOF", f"# echo {SENTINEL}", f"(echo {SENTINEL})",
    f"bash -c 'echo {SENTINEL}'", f"python3 -c \"print('{SENTINEL}')\"",
    f"X=1 echo {SENTINEL}", f"/bin/echo {SENTINEL}",
]  # fmt: skip


@pytest.mark.parametrize("command", SUBMITTING)
def test_the_sentinel_alone_or_before_an_and_submits_if_it_succeeded(command: str) -> None:
    assert is_submission(command, 0)
    assert not any(is_submission(command, code) for code in (1, 2, 127, -1))


@pytest.mark.parametrize("command", OTHER)
def test_the_sentinel_anywhere_else_does_not(command: str) -> None:
    assert not is_submission(command, 0)


@given(st.text(), st.text())
def test_text_around_it_never_submits(before: str, after: str) -> None:
    command = f"{before}echo {SENTINEL}{after}"
    alone = not before.strip() and (not after.strip() or after.lstrip().startswith("&&"))
    assert is_submission(command, 0) == alone
