"""In which order a stage is collected: of a monitor stage, held-out attempts wait until thresholds are frozen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from harness.errors import Incomplete
from harness.protocol.freeze import FrozenStage
from harness.store.records import Attempt
from harness.store.store import Store


def phases(
    waiting: Sequence[Attempt], stage: FrozenStage, store: Store, runtimes: Sequence[str], warn: Callable[[str], None],
    limit: int | None,
) -> Iterator[list[Attempt]]:  # fmt: skip
    """Attempts to run, part by part, ``limit`` at most; each part is run to its end before the next is asked for.

    Held-out attempts of a runtime whose calibration is not complete are left waiting, and ``warn`` is told so.
    """
    if stage.protocol.monitor is None:
        yield list(waiting[:limit])
        return
    from harness.monitors.calibrating import freeze_thresholds, held_out, unfinished

    later = set(held_out(stage))
    first = [attempt for attempt in waiting if attempt.task not in later][:limit]
    yield list(first)
    ready = []
    for runtime in runtimes:
        mine = [attempt for attempt in waiting if attempt.task in later and attempt.runtime == runtime]
        if not mine and unfinished(store, stage, runtime):
            continue
        try:
            freeze_thresholds(store, stage, runtime)
        except Incomplete as why:
            if mine:
                warn(f"held-out attempts of runtime {runtime} wait: {why}")
            continue
        ready += mine
    left = None if limit is None else limit - len(first)
    yield [attempt for attempt in waiting if attempt in ready][:left]
