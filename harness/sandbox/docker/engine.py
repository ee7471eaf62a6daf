"""The Docker engine of this machine, and images on it."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from harness.errors import InputError

#: The image for tasks that bring an interpreter of the host; ``make docker-image`` builds it.
DEFAULT_IMAGE = "restartlab/sandbox:latest"
#: Seconds that a request to the engine may take (an image of many layers takes long to start under load).
_REQUEST_SECONDS = 120


@lru_cache(maxsize=1)
def _client(pid: int) -> Any:
    from docker.errors import DockerException

    import docker

    try:
        client = docker.from_env(timeout=_REQUEST_SECONDS)
        client.ping()
    except (DockerException, OSError):
        raise InputError(
            "no Docker engine answers", file=os.environ.get("DOCKER_HOST", "the default socket"),
            key="sandbox.kind", mend="start the engine, set DOCKER_HOST, or set sandbox.kind: bubblewrap",
        ) from None  # fmt: skip
    return client


def client() -> Any:
    """The engine's client, one per process; raises ``InputError`` when no engine answers."""
    return _client(os.getpid())


def image_id(name: str) -> str:
    """Digest of the image called ``name``.

    It is looked up, never pulled: a run must not depend on what a registry serves that night.

    Raises:
        InputError: the engine has no such image.
    """
    found = find_image(name)
    if found is None:
        mend = "run `make docker-image`" if name == DEFAULT_IMAGE else f"run `docker pull {name}`, or build it"
        raise InputError(f"the engine has no image {name}", key="sandbox.kind", mend=mend)
    return found


def find_image(name: str) -> str | None:
    """Digest of the image called ``name``; None when the engine has none."""
    from docker.errors import ImageNotFound

    try:
        return str(client().api.inspect_image(name)["Id"])
    except ImageNotFound:
        return None


def pull_image(name: str, mend: str) -> str:
    """Fetches the image called ``name``; its digest.

    Raises:
        InputError: it is nowhere to be had; ``mend`` says what to do then.
    """
    from docker.errors import DockerException
    from docker.utils import parse_repository_tag

    repository, tag = parse_repository_tag(name)
    try:
        client().api.pull(repository, tag=tag or "latest")
        if found := find_image(name):
            return found
        said = "nothing came"
    except (DockerException, OSError) as error:
        said = str(getattr(error, "explanation", None) or error).strip().splitlines()[-1][:200]
    raise InputError(
        f"the engine has no image {name}, and cannot pull it: {said}", key="sandbox.kind", mend=mend
    ) from None
