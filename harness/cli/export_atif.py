"""What ``export --format atif`` does: a file per try, with what was said and done in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import typer

from harness.errors import Incomplete, InputError
from harness.exporting.atif import write_attempt
from harness.exporting.redaction import Redaction
from harness.store.blobs import BlobError
from harness.store.store import Store


def export_trajectories(store: Store, stages: Sequence[str], folder: Path | None) -> None:
    """Writes the tries of all stages into ``folder``, one file at a time; says what it left out.

    Raises:
        InputError: no folder, or it cannot be written.
        Incomplete: a trajectory is torn or missing; all others are written.
    """
    if folder is None:
        mend = "give the folder for them: -o DIR"
        raise InputError("trajectories are a file per try", file="--output", mend=mend)
    written, torn = 0, 0
    for stage in sorted(set(stages)):
        record = store.stage(stage)
        runtimes = ((record.protocol or {}).get("protocol") or {}).get("runtimes") or {} if record else {}
        named = [(runtime.get("model") or {}).get("credential") for runtime in runtimes.values()]
        redact = Redaction([name for name in named if name], os.environ)
        for name in redact.unset:
            typer.echo(f"{stage}: {name} is not set here, so its value could not be looked for", err=True)
        for attempt in store.attempts(stage):
            agent = str((runtimes.get(attempt.runtime) or {}).get("agent") or attempt.runtime)
            try:
                files, left_out = write_attempt(store.attempt(attempt.id), folder, agent, redact)
            except BlobError as error:
                torn += 1
                typer.echo(f"{attempt.id[:12]}: {error}", err=True)
                continue
            except OSError as error:
                what = f"cannot be written ({error.strerror or error})"
                raise InputError(what, file=folder, mend="name a folder that can be made and written") from None
            written += len(files)
            for text in left_out:
                typer.echo(f"left out: {text}", err=True)
    typer.echo(f"{written} trajectories in {folder}", err=True)
    if torn:
        raise Incomplete(f"{torn} attempts could not be read")
