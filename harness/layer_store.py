"""Keeps every distinct state of one attempt's workspace as blobs, each blob written once."""

from __future__ import annotations

from harness.canonical import canonical_json, digest_bytes
from harness.store.blobs import Blobs
from harness.workspace.layer import Layer
from harness.workspace.manifest import to_data
from harness.workspace.workspace import Workspace


class LayerStore:
    """Layers in ``blobs``, by the digests of their manifests; ``get`` gives a file or a manifest by its digest."""

    def __init__(self, blobs: Blobs):
        self._blobs, self._stored = blobs, set[str]()
        self.get = blobs.get

    def snapshot(self, workspace: Workspace) -> Layer:
        """The workspace's layer as it is now, kept."""
        layer = workspace.snapshot(self._put)
        if layer.digest not in self._stored:
            self._put(canonical_json(to_data(layer.manifest)))  # its digest is the layer's
        return layer

    def _put(self, data: bytes) -> None:
        digest = digest_bytes(data)
        if digest not in self._stored:
            self._blobs.put(data)
            self._stored.add(digest)
