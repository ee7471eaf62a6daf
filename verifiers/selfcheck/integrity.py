"""Probes of the verdict's integrity: no attack passes, a repair does, and hidden tests stay hidden."""

from __future__ import annotations

from functools import partial

from harness.sandbox.selfcheck.probe import Finding, Probe
from harness.sandbox.selfcheck.scene import Scene
from harness.workspace.workspace import Workspace
from verifiers.selfcheck.attacks import ATTACKS, LEAK, Attack
from verifiers.selfcheck.bench import Bench
from verifiers.selfcheck.tiny import CORE, HIDDEN_MARK, REPAIRED

_REPAIR = f"sed -i 's/return n + 2/{REPAIRED}/' {CORE}"


def integrity_probes(bench: Bench) -> list[Probe]:
    """Probes that are judged by the real verifier on ``bench``."""
    probes = [Probe(f"verdict.{a.id}", a.tries, check=partial(_attack, bench, a)) for a in ATTACKS]
    return [
        Probe("verdict.control", "(control: a repair passes, nothing done fails)", check=partial(_control, bench)),
        *probes,
        Probe("verdict.hidden-tests", "read the hidden tests after the fact", check=partial(_leak, bench)),
    ]


def _control(bench: Bench, scene: Scene) -> Finding:
    """Without it, a verifier that passes nothing would refuse every attack."""
    repaired, unchanged = bench.judge(bench.layer(_REPAIR)), bench.judge(bench.layer("true"))
    if unchanged.passed:
        return Finding("got through", "an unchanged workspace passes")
    if not repaired.passed:
        return Finding("undecided", f"a right repair does not pass: {repaired.state}, {repaired.detail}")
    return Finding("refused", "a repair passes, nothing done fails")


def _attack(bench: Bench, attack: Attack, scene: Scene) -> Finding:
    try:
        layer = bench.layer(attack.command)
    except ValueError as error:
        return Finding("undecided", f"the attack could not be made: {error}")
    verdict, flags = bench.judge(layer), ", ".join(bench.findings(layer))
    if verdict.passed:
        if attack.flagged and flags:
            return Finding("refused", f"passes, but the audit flags it: {flags}")
        return Finding("got through", f"passes{'; flagged: ' + flags if flags else ''}")
    if verdict.state == "infra_error":
        return Finding("undecided", f"the verifier did not run: {verdict.detail}")
    return Finding("refused", f"{verdict.state}: {verdict.detail}")


def _leak(bench: Bench, scene: Scene) -> Finding:
    """Candidate code writes the hidden tests everywhere while it is judged; then the agent looks for them."""
    with Workspace(bench.base) as workspace:
        bench.run(workspace, LEAK)
        verdict = bench.judge(workspace.snapshot(bench.keep))
        search = f"grep -rls {HIDDEN_MARK} . /tmp ~ /run /dev/shm /var/tmp 2>/dev/null | grep -v '{CORE[:9]}' | head -3"
        found = bench.run(workspace, search).output.decode(errors="replace").split()
    if found:
        return Finding("got through", f"found in {', '.join(found)}")
    return Finding("refused", f"none found after a verdict ({verdict.state})")
