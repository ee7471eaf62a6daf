"""Keeps every distinct state of one attempt's workspace as blobs, each blob written once."""

from __future__ import annotations

import json
from collections.abc import Callable

from harness.canonical import canonical_json, digest_bytes
from harness.errors import InputError
from harness.store.blobs import Blobs
from harness.workspace.layer import Layer
from harness.workspace.manifest import from_data, to_data
from harness.workspace.workspace import Workspace

EMPTY = Layer({})


def read_layer(content: Callable[[str], bytes], digest: str) -> Layer:
    """The layer whose manifest is the blob ``digest``; the empty one needs no blob. Errors as ``LayerStore.layer``."""
    if digest == EMPTY.digest:
        return EMPTY
    try:
        layer = Layer(from_data(json.loads(content(digest))))
        same = layer.digest == digest
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"blob {digest[:12]} is no layer ({error})", mend="name the digest of a layer") from None
    if not same:
        raise InputError(f"blob {digest[:12]} is no layer as restartlab writes it", mend="name the digest of a layer")
    return layer


class LayerStore:
    """Layers in ``blobs``, by the digests of their manifests; ``get`` gives a file or a manifest by its digest."""

    def __init__(self, blobs: Blobs):
        self._blobs, self._stored = blobs, set[str]()
        self.get = blobs.get

    def snapshot(self, workspace: Workspace) -> Layer:
        """The workspace's layer as it is now, kept."""
        layer = workspace.snapshot(self._put)
        self._keep(layer)
        return layer

    def scratch(self, workspace: Workspace) -> dict[str, str]:
        """Digests of the layers of /tmp and home as they are now, kept; of those that hold anything."""
        found = {name: layer for name, layer in workspace.scratch(self._put).items() if layer.manifest}
        for layer in found.values():
            self._keep(layer)
        return {name: layer.digest for name, layer in found.items()}

    def layer(self, digest: str) -> Layer:
        """The kept layer of that digest.

        Raises:
            BlobError: missing or torn.
            InputError: the blob is no layer.
        """
        return read_layer(self.get, digest)

    def _keep(self, layer: Layer) -> None:
        if layer.digest not in self._stored:
            self._put(canonical_json(to_data(layer.manifest)))  # its digest is the layer's

    def _put(self, data: bytes) -> None:
        digest = digest_bytes(data)
        if digest not in self._stored:
            self._blobs.put(data)
            self._stored.add(digest)
