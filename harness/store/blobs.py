"""Content-addressed blobs on disk: zlib-compressed files named by the SHA-256 of what they hold."""

from __future__ import annotations

import hashlib
import io
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from harness.errors import RestartlabError
from harness.temporary import sweep_temporary, temporary_file

_CHUNK = 1 << 20


class BlobError(RestartlabError):
    """A blob is missing, or its file does not hold what its name says."""

    def __init__(self, digest: str, path: Path, what: str):
        self.digest, self.path = digest, path
        super().__init__(f"{path}: blob {digest} {what}\n  mend: put the same content again, or restore a backup")


class Blobs:
    """A folder of blobs: ``ab/cd/<digest>.z``. Safe for any number of writers at once."""

    def __init__(self, root: Path):
        self.root = root

    def path(self, digest: str) -> Path:
        """Where a blob stands, or would."""
        if not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise ValueError(f"{digest!r} is not a SHA-256 in hex")
        return self.root / digest[:2] / digest[2:4] / f"{digest}.z"

    def put(self, data: bytes) -> str:
        """Stores ``data``; its digest."""
        digest = hashlib.sha256(data).hexdigest()
        if not self.holds(digest):
            return self.put_stream(io.BytesIO(data))
        self._settle(digest)
        return digest

    def put_file(self, path: Path) -> str:
        """Stores a file's content, streamed; its digest."""
        with open(path, "rb") as stream:
            return self.put_stream(stream)

    def put_stream(self, stream: IO[bytes]) -> str:
        """Stores what a stream holds; its digest. On return it is on disk, whole, even after a power loss.

        A file that was torn is replaced. If anything fails nothing is left behind.
        """
        # The name is known at the end only, so the temporary file stands in the root: same file system, atomic rename.
        with temporary_file(self.root) as (out, name):
            content, packer = hashlib.sha256(), zlib.compressobj()
            while chunk := stream.read(_CHUNK):
                content.update(chunk)
                out.write(packer.compress(chunk))
            out.write(packer.flush())
            out.flush()
            os.fsync(out.fileno())
            digest = content.hexdigest()
            if not self.holds(digest):
                self.path(digest).parent.mkdir(parents=True, exist_ok=True)
                os.replace(name, self.path(digest))
            self._settle(digest)
        return digest

    def holds(self, digest: str) -> bool:
        """Whether the blob is there and whole; reads all of it."""
        try:
            for _ in self.chunks(digest):
                pass
        except BlobError:
            return False
        return True

    def get(self, digest: str) -> bytes:
        """The blob's content, verified.

        Raises:
            BlobError: missing or torn.
        """
        return b"".join(self.chunks(digest))

    def chunks(self, digest: str) -> Iterator[bytes]:
        """The blob's content piece by piece, at most 1 MiB each. Trust it only when the iteration ends without error.

        Raises:
            BlobError: missing or torn; of a torn one perhaps after some pieces.
        """
        path = self.path(digest)
        content, unpacker = hashlib.sha256(), zlib.decompressobj()
        try:
            with open(path, "rb") as stream:
                while not unpacker.eof:
                    packed = unpacker.unconsumed_tail or stream.read(_CHUNK)
                    piece = unpacker.decompress(packed, _CHUNK)
                    if not packed and not piece:
                        raise BlobError(digest, path, "is torn: its file ends early")
                    content.update(piece)
                    yield piece
                trailing = bool(unpacker.unused_data or stream.read(1))
        except FileNotFoundError:
            raise BlobError(digest, path, "is missing") from None
        except zlib.error as error:
            raise BlobError(digest, path, f"is torn: {error}") from None
        if trailing:
            raise BlobError(digest, path, "is torn: its file goes on after the end")
        if content.hexdigest() != digest:
            raise BlobError(digest, path, f"is torn: it holds content of digest {content.hexdigest()}")

    def sweep(self) -> int:
        """Removes temporary files of killed writers; how many."""
        return sweep_temporary(self.root)

    def _settle(self, digest: str) -> None:
        """Makes the blob's name durable, also where another writer made it a moment ago."""
        folder = self.path(digest).parent
        for path in (folder, folder.parent, self.root):
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
