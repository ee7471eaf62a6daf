"""The command line. Thin: each command parses, calls one function, prints."""

from __future__ import annotations


def main() -> None:
    """Entry point of ``restartlab``."""
    from harness.cli.app import run

    run()
