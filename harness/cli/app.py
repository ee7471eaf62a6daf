"""The ``restartlab`` command: its subcommands, and how errors become exit codes.

Exit codes: 0 done; 1 the result is incomplete or negative; 2 bad input, nothing written; 130 interrupted, state safe.
"""

from __future__ import annotations

import errno
import sys
from typing import Annotated

import typer

from harness import __version__
from harness.cli import (
    analysing_audit,
    analysing_readout,
    analysing_replay,
    analysing_report,
    checkpointing,
    cleaning,
    collecting,
    composing,
    evidence,
    looking,
    monitoring,
    preparing,
    regrading,
    reverifying,
    reviewing,
    scoring,
    tasking,
)
from harness.errors import RestartlabError

app = typer.Typer(
    name="restartlab",
    help="Find out whether an AI agent that looks stuck should be restarted, continued or recovered, and whether the "
    "evidence is enough to say so.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
preparing.add_to(app)
collecting.add_to(app)
composing.add_to(app)
checkpointing.add_to(app)
looking.add_to(app)
regrading.add_to(app)
cleaning.add_to(app)
reverifying.add_to(app)
tasking.add_to(app)
analysing_replay.add_to(app)
analysing_audit.add_to(app)
analysing_readout.add_to(app)
analysing_report.add_to(app)
monitoring.add_to(app)
scoring.add_to(app)
evidence.add_to(app)
reviewing.add_to(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def run() -> None:
    """Runs the command line; turns this project's errors into a message and an exit code."""
    try:
        app()
    except RestartlabError as error:
        typer.echo(f"restartlab: {error}", err=True)
        sys.exit(error.exit_code)
    except SystemExit as end:  # the reader of our output has gone (head, a pager): no failure of ours
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        raise SystemExit(0) from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        typer.echo(f"restartlab: {error.strerror}\n  mend: free disk space, then run the same command again", err=True)
        sys.exit(1)
