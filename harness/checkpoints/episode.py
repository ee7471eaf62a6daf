"""An episode: what a recovery action begins from a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.canonical import canonical_json
from harness.errors import InputError
from harness.layer_store import read_layer
from harness.protocol.recovery import RecoveryAction
from harness.recovery.apply import Summary, apply, needs_summary
from harness.recovery.summary import summarise
from harness.store.checkpoints import Checkpoint
from harness.workspace.manifest import to_data
from harness.workspace.workspace import Workspace
from verifiers.place import Place

Content = Callable[[str], bytes]


@dataclass(frozen=True)
class Episode:
    """A checkpoint and the action that goes on from it; plain data that travels to a worker."""

    checkpoint: Checkpoint
    action: RecoveryAction

    @property
    def facts(self) -> dict[str, str]:
        """What a trajectory begins with."""
        return {"checkpoint": self.checkpoint.id, "action": self.action.name}

    @property
    def talks(self) -> bool:
        """Whether the conversation begins with more than the prompts of a fresh attempt."""
        return self.action.context != "reset" or self.action.message is not None

    @property
    def law(self) -> dict[str, Any]:
        """Where a scripted agent goes on: with a kept conversation it is as far as the attempt was."""
        goes_on = self.action.context == "keep"
        place = {"first": self.checkpoint.call + 1, "malformed": self.checkpoint.malformed} if goes_on else {}
        return {"after": self.action.name, **place}

    def contents(self, content: Content) -> list[bytes]:
        """Every blob that the episode needs: for a machine that does not share the disk.

        Raises:
            BlobError: one is missing or torn.
        """
        state = self.checkpoint
        found = [content(state.messages)] if state.messages else []
        for digest in (state.layer, *(state.scratch or {}).values()):
            layer = read_layer(content, digest)
            found.append(canonical_json(to_data(layer.manifest)))
            found += [content(entry.sha256) for entry in layer.manifest.values() if entry.sha256]
        return found

    def put_back(self, workspace: Workspace, content: Content) -> None:
        """Makes a fresh workspace what the action begins with, /tmp and home included.

        Raises:
            InputError: the state is refused, does not come back as it was captured, or lies on another base.
            BlobError: a part of it is missing or torn.
        """
        state = self.checkpoint
        if self.action.workspace == "reset":
            return
        if state.base != workspace.base.digest:
            raise InputError(f"the checkpoint lies on base {state.base[:12]}, not on {workspace.base.digest[:12]}")
        scratch = {name: read_layer(content, digest) for name, digest in (state.scratch or {}).items()}
        workspace.put_back(read_layer(content, state.layer), scratch, content)

    def conversation(self, opening: Sequence[dict[str, Any]], place: Place, content: Content) -> list[dict[str, Any]]:
        """The messages that the episode begins with.

        Args:
            opening: the prompts of a fresh attempt.

        Raises:
            BlobError: as ``put_back``.
            InfrastructureError: the summary of the workspace could not be made.
        """
        state = self.checkpoint
        kept = json.loads(content(state.messages)) if state.messages else []
        start = apply(self.action, conversation=kept, opening=opening, summary=self._summary(place, content))
        return list(start.messages)

    def _summary(self, place: Place, content: Content) -> Summary | None:
        if not needs_summary(self.action):
            return None
        if self.action.workspace == "reset":
            return Summary("", "")
        return summarise(read_layer(content, self.checkpoint.layer), place.base, content, place.make_sandbox())
