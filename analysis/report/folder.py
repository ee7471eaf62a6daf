"""Writes a report into a folder: all of it or nothing, and never over files of others."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.errors import InputError
from analysis.figures.catalogue import figures_of
from analysis.report.document import events_csv
from analysis.report.manifest import verified
from analysis.report.packing import packed
from analysis.report.page import page_of, title_of
from analysis.table import EventTable


def report_files(document: Mapping[str, Any], table: EventTable) -> dict[str, bytes]:
    """All files of a report by their path, manifest included. The same input gives the same bytes.

    Raises:
        InputError: matplotlib is not installed.
    """
    figures = figures_of(document)
    drawings = [one for part in figures.values() for one in part]
    tables = {"events.csv": events_csv(table)}
    return packed(document, title_of(document), page_of(document, figures), drawings, tables)


def check_free(folder: Path) -> None:
    """Refuses a folder that holds anything but an unchanged report.

    Raises:
        InputError: it does; or it is the working directory, which cannot be replaced.
    """
    mend = "name another folder, or move it away"
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise InputError("is there, and is no folder", file=folder, mend=mend)
    if folder.resolve() == Path.cwd():
        raise InputError("is the working directory", file=folder, mend="name a folder of its own, such as ./report")
    if not any(folder.iterdir()):
        return
    found = verified(folder)
    if found is None:
        raise InputError("holds files that are not a report's", file=folder, mend=mend)
    odd = [*(f"{path} was changed" for path in found.changed), *(f"{path} is not a report's" for path in found.foreign)]
    if odd:
        more = f" and {len(odd) - 3} more" if len(odd) > 3 else ""
        raise InputError(f"would lose what others wrote: {', '.join(odd[:3])}{more}", file=folder, mend=mend)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Puts the files in place of the folder's content, after they are all written beside it.

    Raises:
        InputError: as ``check_free``; or the place cannot be written.
    """
    check_free(folder)
    place = folder.resolve()
    fresh, old = (place.with_name(f".{place.name}.{word}-{os.getpid()}") for word in ("new", "old"))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh.mkdir()
        try:
            for path, data in files.items():
                (fresh / path).parent.mkdir(parents=True, exist_ok=True)
                (fresh / path).write_bytes(data)
            _swap(place, fresh, old)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=folder, mend="name a folder elsewhere") from None


def _swap(place: Path, fresh: Path, old: Path) -> None:
    had = place.exists()
    if had:
        place.rename(old)
    try:
        fresh.rename(place)
    except OSError:
        if had:
            old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)
