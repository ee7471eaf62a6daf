"""Where attacks on layers and verdicts are tried: real workspaces, snapshots and verdicts on the tiny task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.canonical import digest_bytes
from harness.sandbox.factory import make_sandbox
from harness.sandbox.interface import Limits, Mounts, Result
from harness.sandbox.tools import Tools
from harness.workspace.layer import Layer
from harness.workspace.workspace import Workspace
from verifiers.hidden import HiddenTestVerifier
from verifiers.selfcheck.tiny import tiny_base, tiny_task
from verifiers.tamper import audit_layer
from verifiers.verdict import Verdict


class Bench:
    """The tiny task for one kind of sandbox.

    Args:
        folder: an empty folder for the task package.
    """

    def __init__(self, folder: Path, kind: str, tools: Tools):
        self.kind, self.tools = kind, tools
        self.task = tiny_task(folder)
        self.base = tiny_base(tools)
        self.verifier = HiddenTestVerifier(self.task, self.base, tools, kind)
        self.content: dict[str, bytes] = {}

    @contextmanager
    def workspace(self) -> Iterator[Mounts]:
        """Mounts of a fresh workspace, for a ``Subject``."""
        with Workspace(self.base) as workspace:
            yield workspace.mounts

    def keep(self, data: bytes) -> None:
        """Takes a file's content, as a store of blobs would."""
        self.content[digest_bytes(data)] = data

    def run(self, workspace: Workspace, command: str, **more: Any) -> Result:
        """Runs a command as an agent would."""
        sandbox = make_sandbox(self.kind, self.tools)
        sandbox.start(workspace.mounts, Limits(seconds=20))
        try:
            return sandbox.run(command, **more)
        finally:
            sandbox.stop()

    def layer(self, command: str) -> Layer:
        """What a fresh workspace is after ``command``; its files go to ``content``."""
        with Workspace(self.base) as workspace:
            done = self.run(workspace, command)
            if done.returncode:
                raise ValueError(f"exit {done.returncode}: {done.output.decode(errors='replace')[-200:]}")
            return workspace.snapshot(self.keep)

    def judge(self, layer: Layer) -> Verdict:
        """The real verifier's verdict."""
        return self.verifier.verify(layer, self.content.__getitem__)

    def findings(self, layer: Layer) -> list[str]:
        """What the tamper audit says of a layer, in words."""
        found = audit_layer(layer, self.base, self.content.__getitem__)
        return sorted({str(one.get("detail") or one["kind"]).replace("_", " ") for one in found})
