"""The whole self-check of one kind of sandbox: isolation, layers, verdicts, and what people are shown."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.cli.text import harmless, one_line
from harness.doctor import PYTHONS
from harness.paths import state_dir
from harness.sandbox import host
from harness.sandbox.factory import make_sandbox
from harness.sandbox.interpreter import choose
from harness.sandbox.selfcheck.probe import Finding, Probe
from harness.sandbox.selfcheck.scene import Scene, Subject
from harness.sandbox.selfcheck.suite import ISOLATION, Probed, run_probes
from harness.sandbox.tools import Tools
from harness.workspace.files import remove_tree

_ESCAPES = r"\033]0;title\007\033[2J\033]52;c;YQ==\007\033P+q\033\\\233;31m\302\233K\342\200\256\rover\bwritten\n"


def _shown(scene: Scene) -> Finding:
    """Prints escape sequences in the sandbox, then looks at what a terminal would get."""
    raw = scene.current.sandbox.run(f"printf '{_ESCAPES}'").output
    if b"\x1b" not in raw:
        return Finding("undecided", "the sequences did not come out of the sandbox")
    shown = "".join(show(raw.decode(errors="replace")) for show in (harmless, lambda text: one_line(text, 400)))
    left = sorted({f"{ord(c):#x}" for c in shown if c != "\n" and (not c.isprintable() or ord(c) in range(0x80, 0xA0))})
    return Finding("got through", f"shown raw: {left}") if left else Finding("refused", "shown as \\x1b and the like")


TERMINAL = Probe("terminal.escapes", "reach the reader's terminal by escape sequences in output", check=_shown)


def check_sandbox(kind: str, said: Callable[[Probed], object] = lambda probed: None) -> list[Probed]:
    """Runs every probe in sandboxes of ``kind``; ``said`` hears of each one.

    Raises:
        InputError: this machine has no such sandbox.
        SandboxLost: not even an empty one starts.
    """
    from verifiers.selfcheck import history
    from verifiers.selfcheck.bench import Bench
    from verifiers.selfcheck.integrity import integrity_probes
    from verifiers.selfcheck.layers import layer_probes

    state = state_dir()
    state.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="selfcheck-", dir=state))
    try:
        folder.chmod(0o755)
        (folder / "site").mkdir(mode=0o755)
        host.visible(folder)
        python = choose(PYTHONS)
        tools = Tools(python, folder / "site")
        bench = Bench(folder / "task", kind, tools)
        subject = Subject(lambda: make_sandbox(kind, tools), bench.workspace, (python.prefix,))
        with Scene(subject) as scene:
            probes = (*ISOLATION, TERMINAL, *history.PROBES, *layer_probes(bench), *integrity_probes(bench))
            return run_probes(scene, probes, said)
    finally:
        remove_tree(folder)


def document(kind: str, done: list[Probed]) -> dict[str, Any]:
    """The result as one JSON document (docs/schemas/doctor-sandbox.json)."""
    states = ("refused", "got through", "not applicable", "undecided")
    return {
        "sandbox": kind,
        "root": host.is_root(),
        "counts": {state: sum(p.finding.state == state for p in done) for state in states},
        "probes": [
            {"id": p.probe.id, "tries": p.probe.tries, "state": p.finding.state, "detail": p.finding.detail}
            for p in done
        ],
    }
