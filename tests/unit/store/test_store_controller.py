"""A controller is recognised by more than its pid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.store.controller import Controller


@pytest.mark.parametrize(
    ("change", "life"),
    [
        ({}, "alive"),
        ({"started": 1}, "dead"),  # the pid was given to a later process
        ({"pid": 2**22 + 1}, "dead"),  # above the kernel's largest pid
        ({"boot": "another"}, "dead"),
        ({"boot": "another", "host": "another"}, "elsewhere"),
        ({"pid_namespace": "pid:[1]"}, "elsewhere"),
    ],
)
def test_life(change: dict[str, object], life: str) -> None:
    assert replace(Controller.current(), **change).life() == life  # type: ignore[arg-type]
