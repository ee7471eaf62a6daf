"""``restartlab doctor --sandbox``: progress, the table, one JSON document."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import typer

from harness.cli.text import one_line
from harness.errors import Incomplete, InfrastructureError

if TYPE_CHECKING:
    from harness.sandbox.selfcheck.suite import Probed

_SHOWN = {"got through": "GOT THROUGH", "undecided": "UNDECIDED"}


def self_check(kind: str, as_json: bool) -> None:
    """Runs the suite; raises ``Incomplete`` when a probe got through, or could not be judged."""
    from rich.console import Console

    from harness import plugins
    from harness.doctor import require_sandbox
    from harness.sandbox import host
    from harness.sandbox.interface import SandboxLost
    from harness.selfcheck import check_sandbox, document

    if kind in plugins.BUILT_IN["sandboxes"]:
        require_sandbox(kind)
    console, count, began = Console(stderr=True), 0, time.monotonic()
    who = f"root, sandboxes as uid {host.SANDBOX_UID}" if host.is_root() else "an ordinary user"
    with console.status("starting") as status:

        def said(probed: Probed) -> None:
            nonlocal count
            count += 1
            status.update(f"{count} probes, last {probed.probe.id}: {probed.finding.state}")

        try:
            done = check_sandbox(kind, said)
        except SandboxLost as lost:
            raise InfrastructureError(f"no {kind} sandbox starts here: {lost}") from lost
    bad = [probed.probe.id for probed in done if probed.bad]
    if as_json:
        typer.echo(json.dumps(document(kind, done)))
    else:
        _print_table(kind, who, done)
        counts = document(kind, done)["counts"]
        typer.echo(
            f"\n{len(done)} probes in {time.monotonic() - began:.0f} s: {counts['refused']} refused, "
            f"{counts['got through']} got through, {counts['undecided']} undecided, "
            f"{counts['not applicable']} not applicable"
        )
    if bad:
        raise Incomplete(f"the {kind} sandbox does not hold here: {', '.join(bad)}")


def _print_table(kind: str, who: str, done: list[Probed]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    title = f"Self-check of the {kind} sandbox, started by {who}"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    table.add_column("probe", no_wrap=True)
    table.add_column("what an adversary tries", ratio=5)
    table.add_column("outcome", no_wrap=True)
    table.add_column("seen", ratio=4)
    styles = {"refused": "green", "got through": "bold red", "undecided": "bold yellow", "not applicable": "dim"}
    theme = None
    for probed in done:
        if theme not in (None, probed.probe.theme):
            table.add_section()
        theme, state = probed.probe.theme, probed.finding.state
        outcome = Text(_SHOWN.get(state, state), style=styles[state])
        seen = one_line(probed.finding.detail, 120)
        table.add_row(Text(probed.probe.id), Text(probed.probe.tries), outcome, Text(seen))
    Console().print(table)
