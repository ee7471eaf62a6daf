"""The bridge from the database to analysis: event rows as an event table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter

from analysis.table import EventTable
from harness.errors import InputError
from harness.store.events import EventRow
from harness.store.store import Store

_VALUES = attrgetter(*EventRow.__dataclass_fields__)


def table_of(store: Store, stages: Sequence[str] | None = None) -> EventTable:
    """All ended tries of the named stages (of all, if None), streamed into columns.

    Raises:
        InputError: the database holds nothing, or nothing of a named stage.
    """
    for stage in stages or ():
        if store.stage(stage) is None:
            mend = f"restartlab collect {stage}, or restartlab import FILE, or name another database"
            raise InputError(f"the database holds nothing of stage {stage!r}", mend=mend)
    named = [None] if stages is None else sorted(set(stages))
    rows = chain.from_iterable(store.event_rows(stage) for stage in named)
    first = next(rows, None)
    if first is None:
        what = "no try has ended" + ("" if stages is None else f" in stage {', '.join(stages)}")
        raise InputError(what, mend="collect first, or name another stage")
    return EventTable.from_rows(map(_VALUES, chain([first], rows)), "database")
