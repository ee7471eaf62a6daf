"""Fixtures of suites that need a scripted endpoint on this machine, and tries of attempts against it.

A conftest imports those that it offers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, chat_server, text
from tiny_lab import TinyLab
from trying import Trier

from harness.canonical import digest_bytes


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """An endpoint; whatever it serves is reached with a key that is none."""
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    with chat_server() as running:
        yield running


def needs_no_packages(lab: TinyLab) -> None:
    """Puts an empty site where pip would install the sandbox's packages: the tiny package imports none of them."""
    lock = lab.root / "tasks" / "sandbox-site.txt"
    lock.write_text("# none\n")
    site = Path(lab.environment["XDG_CACHE_HOME"]) / "restartlab" / "sites" / digest_bytes(lock.read_bytes())[:32]
    site.mkdir(parents=True, exist_ok=True)
    (site / "workspace.pth").write_text("/testbed\n")


@pytest.fixture
def in_lab(lab: TinyLab, monkeypatch: pytest.MonkeyPatch) -> TinyLab:
    """The tiny laboratory, entered by this process."""
    needs_no_packages(lab)
    for name, value in lab.environment.items():
        if name.startswith("RESTARTLAB_") or name == "XDG_CACHE_HOME":
            monkeypatch.setenv(name, value)
    return lab


@pytest.fixture(scope="session")
def warm() -> None:
    """A request is made: the first one of a process loads modules for a second or more: too long for short limits."""
    from harness import miniswe

    miniswe.prepare()
    import litellm

    with chat_server() as running:
        running.script(text())
        litellm.completion(
            model="openai/x", messages=[{"role": "user", "content": "x"}], api_base=running.url, api_key="none"
        )


@pytest.fixture
def attempt(server: ChatServer, in_lab: TinyLab, warm: None) -> Trier:
    """Tries attempts at the tiny task: ``attempt(bash("ls"), ...)``; the last answer is repeated."""
    return Trier(server, in_lab.root)
