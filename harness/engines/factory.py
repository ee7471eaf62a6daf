"""Makes the engine that a collection runs on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from harness.engines.interface import Engine
from harness.engines.local import LocalEngine
from harness.errors import InputError

ENGINES = ("local", "ray")


def default_workers() -> int:
    """Attempts at once on this machine: its cores."""
    return len(os.sched_getaffinity(0))


@contextmanager
def make_engine(
    name: str, workers: int | None, address: str, pythons: tuple[str, ...], sandbox: str
) -> Iterator[Engine]:
    """The engine called ``name``, stopped at the end.

    Args:
        workers: jobs at once; None: as many as there are cores.
        address: of a Ray cluster, for ``ray``.
        pythons: versions that a sandbox may use.
        sandbox: kind of sandbox that the jobs need.

    Raises:
        InputError: unknown name, or the cluster cannot be used.
    """
    if name == "local":
        with LocalEngine(workers or default_workers()) as engine:
            yield engine
    elif name == "ray":
        from harness.engines.ray_engine import RayEngine

        with RayEngine(workers, address, pythons, sandbox) as cluster:
            yield cluster
    else:
        raise InputError(f"unknown engine {name!r}", key="--engine", mend=f"engines: {', '.join(ENGINES)}")
