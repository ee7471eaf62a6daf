"""Runs probes one after the other, and says of each what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from harness.sandbox.interface import SandboxLost
from harness.sandbox.selfcheck import credentials, files, kernel, limits, network, others, privileges, processes
from harness.sandbox.selfcheck.probe import ROOMY, Finding, Probe
from harness.sandbox.selfcheck.scene import Scene

#: Probes of isolation: they need a sandbox and nothing else.
ISOLATION: tuple[Probe, ...] = (
    *network.PROBES, *files.PROBES, *credentials.PROBES, *processes.PROBES, *others.PROBES, *kernel.PROBES,
    *privileges.PROBES, *limits.PROBES,
)  # fmt: skip


@dataclass(frozen=True)
class Probed:
    """A probe and what became of it."""

    probe: Probe
    finding: Finding

    @property
    def bad(self) -> bool:
        """It got through, or nobody knows."""
        return self.finding.state in ("got through", "undecided")


def run_probes(
    scene: Scene, probes: Iterable[Probe], said: Callable[[Probed], object] = lambda probed: None
) -> list[Probed]:
    """Runs ``probes`` in order; ``said`` hears of each."""
    done = []
    for probe in probes:
        probed = Probed(probe, _run(scene, probe))
        said(probed)
        done.append(probed)
    return done


def _run(scene: Scene, probe: Probe) -> Finding:
    try:
        if probe.prepare and (why := probe.prepare(scene)):
            return Finding("not applicable", why)
        if probe.check:
            return probe.check(scene)
        own = probe.own_sandbox or probe.limits != ROOMY
        if own:
            scene.fresh(probe.limits)
        try:
            result = scene.run(probe.script, seconds=probe.seconds)
            # Whatever the probe was about: nothing of the host that carries the secret may be printed.
            if scene.secret.encode() in result.output:
                return Finding("got through", "a canary of the host was read")
            return probe.judge(scene, result)
        finally:
            if own:
                scene.drop()
    except SandboxLost as lost:
        scene.drop()
        return Finding("undecided", f"the sandbox was lost: {lost}")
