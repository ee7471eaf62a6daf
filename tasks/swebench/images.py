"""The container image of an instance: its name, and where it is found."""

from __future__ import annotations

import platform

from harness.errors import InputError
from harness.sandbox.docker.engine import find_image, pull_image
from tasks.swebench.instance import Instance
from tasks.swebench.package import swebench

#: The account of the registry under which the benchmark publishes its images.
_NAMESPACE = "swebench"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def image_names(instance: Instance) -> tuple[str, ...]:
    """Names that the image may have, the published one first; the other is what the package's own builder gives it.

    Raises:
        InputError: the package is needed for the name, and is not installed.
    """
    if instance.image:
        return (instance.image,)
    spec = swebench("image_builder.image_spec").ImageSpec
    architecture = _ARCHITECTURES.get(platform.machine(), "amd64")
    return tuple(str(spec(instance.instance_id, "none", space, arch=architecture).name) for space in (_NAMESPACE, None))


def find_instance_image(instance: Instance) -> tuple[str, str] | None:
    """(name, digest) of the image if the engine has it; fetches nothing."""
    for name in image_names(instance):
        if digest := find_image(name):
            return name, digest
    return None


def require_instance_image(instance: Instance) -> tuple[str, str]:
    """(name, digest) of the image, pulled if the engine does not have it.

    Raises:
        InputError: no engine answers, or the image is neither there nor to be had.
    """
    found = find_instance_image(instance)
    if found is not None:
        return found
    name = image_names(instance)[0]
    mend = (
        f"docker pull {name} where a registry is in reach; for a plain Python repository: "
        f"make docker-instance INSTANCE={instance.instance_id} DATASET=FILE REPOS=DIR"
    )
    try:
        return name, pull_image(name, mend)
    except InputError as error:
        raise InputError(f"{instance.instance_id}: {error.what}", key="sandbox.kind", mend=mend) from None
