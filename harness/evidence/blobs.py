"""Contents that records refer to by digest: trajectories, inside the bundle or in files beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from harness.canonical import digest_bytes
from harness.evidence.keys import bytes_of, text_of
from harness.evidence.withheld import marked
from harness.evidence.writing import Draft
from harness.store.blobs import BlobError

#: Where contents go: in a record each, in a file each, or nowhere (the digest stays).
MODES = ("inline", "files", "none")


def blob_drafts(
    drafts: Iterable[Draft], get: Callable[[str], bytes], credential: Callable[[str], str | None], mode: str
) -> Iterator[tuple[Draft, bytes | None]]:
    """A record per trajectory, and the content of its file in ``files``.

    A content that is missing or torn in the store, or holds a credential, is withheld with that reason.
    """
    for digest in dict.fromkeys(draft.body["trajectory"] for draft in drafts if draft.kind == "try"):
        if digest is None:
            continue
        body: dict[str, Any] = {"sha256": digest, "what": "trajectory", "bytes": None}
        try:
            data = get(digest)
        except BlobError:
            yield Draft("blob", f"blob/{digest}", body | _without("missing or torn in the store", digest)), None
            continue
        body["bytes"] = len(data)
        name = credential(data.decode("utf-8", "replace"))
        if name is not None:
            yield Draft("blob", f"blob/{digest}", body | _without(f"holds the value of {name}", digest)), None
        elif mode == "none":
            yield Draft("blob", f"blob/{digest}", body | _without("left out of this bundle", digest)), None
        elif mode == "files":
            yield Draft("blob", f"blob/{digest}", body | {"file": f"blobs/{digest}"}), data
        else:
            yield Draft("blob", f"blob/{digest}", body | {"data": text_of(data)}), None


def _without(reason: str, digest: str) -> dict[str, Any]:
    return {"data": {"withheld": True, "reason": reason, "digest": digest, "auditor_access": "in the database"}}


def blob_faults(records: Iterable[Any]) -> Iterator[tuple[str, str, str]]:
    """(record, field, what) of contents that do not have their digest; files are checked with the seal."""
    for record in records:
        body = record["body"]
        if record["kind"] != "blob" or "file" in body or marked(body["data"]):
            continue
        data = bytes_of(body["data"])
        if data is None or digest_bytes(data) != body["sha256"] or len(data) != body["bytes"]:
            yield record["id"], "data", "is not the content of that digest"
