"""Keeps the prints of C code off standard output, which belongs to the command's own document."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_stdout() -> Iterator[None]:
    """Descriptor 1 leads nowhere inside: HiGHS has a stray print that no option turns off. Not for several threads."""
    flush = ctypes.CDLL(None).fflush
    sys.stdout.flush()
    flush(None)
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
        flush(None)  # a pipe's output is buffered beyond the call
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
