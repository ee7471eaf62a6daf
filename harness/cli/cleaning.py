"""The ``cleanup`` command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.errors import Incomplete

if TYPE_CHECKING:
    from harness.collection.cleanup import Leftover


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(cleanup)


def cleanup(
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
    database: Annotated[str | None, typer.Option(help="Database path or URL.")] = None,
) -> None:
    """List what dead processes of this checkout left behind, and remove it with --yes; what runs is left alone."""
    from harness.cli.options import database_place
    from harness.cli.text import byte_size, harmless
    from harness.collection.cleanup import find_leftovers
    from harness.store.store import Store

    place = database_place(database)
    if database is None and isinstance(place, Path) and not place.exists():  # nothing was collected yet
        found = find_leftovers(None)
    else:
        with Store.open(place, create=False) as store:
            found = find_leftovers(store)
    if not found:
        typer.echo("nothing is left over")
        return
    for one in found:
        size = "" if one.bytes is None else byte_size(one.bytes)
        typer.echo(f"  {one.kind:<18} {size:>10}  {harmless(one.name)}")
    total = f"{len(found)} leftovers, {byte_size(sum(one.bytes or 0 for one in found))}"
    if not yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        typer.echo(f"{total}. Nothing was removed: restartlab cleanup --yes")
        return
    if not yes and not typer.confirm(f"{total}. Remove them?"):
        typer.echo("nothing was removed")
        return
    _remove(found)
    typer.echo(f"removed: {total}")


def _remove(found: list[Leftover]) -> None:
    """Removes all that can be; raises ``Incomplete`` naming what cannot."""
    failed = []
    for one in found:
        try:
            one.remove()
        except OSError as error:
            failed.append(f"{one.name}: {error.strerror or error}")
    if failed:
        more = f"\n  and {len(failed) - 5} more" if len(failed) > 5 else ""
        raise Incomplete("cannot be removed: " + "\n  ".join(failed[:5]) + more + "\n  mend: run it as the same user")
