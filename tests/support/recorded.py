"""Reads back what a try recorded: layers, their contents, their patches; and collects an attempt to show."""

from __future__ import annotations

import io
import json
import re
import subprocess
from typing import Any

from boxes import Box
from chat_server import ChatServer, Step
from paid_lab import write_paid_stage
from tiny_lab import TinyLab
from trying import Tried

from harness.canonical import digest_bytes
from harness.paths import state_dir
from harness.sandbox.interface import Limits, Mounts
from harness.store.blobs import Blobs
from harness.workspace.layer import Layer
from harness.workspace.manifest import from_data
from harness.workspace.patch import export_patch
from harness.workspace.workspace import Workspace
from tasks.registry import load_task
from verifiers.kinds import prepare_place


def blob(digest: str) -> bytes:
    return Blobs(state_dir() / "blobs").get(digest)


def layer_after(tried: Tried, number: int = -1) -> Layer:
    """The layer recorded with an action of a try, the last one if not said."""
    return Layer(from_data(json.loads(blob(tried.result.actions[number].layer_digest or ""))))


def patch_of(layer: Layer) -> tuple[bytes, dict[str, str]]:
    """A layer on the tiny task as a patch, and what that leaves out."""
    place, out = prepare_place(load_task("tiny-1")), io.BytesIO()
    left_out = export_patch(layer, place.base, blob, place.make_sandbox(), out)
    return out.getvalue(), left_out


def applied(patch: bytes, task: str = "tiny-1") -> Layer:
    """The layer of a fresh workspace after ``git apply``."""
    place = prepare_place(load_task(task))
    file = state_dir() / f"{digest_bytes(patch)[:16]}.patch"
    file.write_bytes(patch)
    with Workspace(place.base) as workspace:
        mounts = workspace.mounts
        sandbox = place.make_sandbox()
        sandbox.start(Mounts(mounts.lowers, mounts.upper, mounts.work, read_only={"/run/patch": file}), Limits())
        Box(sandbox, mounts).text("git apply --whitespace=nowarn /run/patch")
        return workspace.snapshot().candidate


def collected(lab: TinyLab, server: ChatServer, *steps: Step, **stage: Any) -> str:
    """Collects one attempt of the stage ``tiny`` that is answered with ``steps``; its id."""
    write_paid_stage(lab, server.url, repeats=1, **stage)
    server.script(*steps)
    done = lab.run("collect", "tiny", "--runtime", "house", "--workers", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    listed = lab.run("status", "tiny", "--attempts").stdout
    found = re.search(r"^  ([0-9a-f]{12})  tiny-1", listed, re.MULTILINE)
    assert found, listed
    return found[1]


def printed(lab: TinyLab, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """``restartlab`` with these arguments, its output as bytes."""
    return subprocess.run(
        lab.command(*arguments), env=lab.environment, cwd=lab.root, capture_output=True, stdin=subprocess.DEVNULL,
        timeout=300,
    )  # fmt: skip
