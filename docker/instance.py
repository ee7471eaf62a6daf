"""Builds the image of a SWE-bench instance from what is on this machine, under the name that swebench gives it.

For machines that reach no image registry, and repositories that a plain Python environment is enough for
(tasks/swebench/repositories.py): ``python docker/instance.py INSTANCE --dataset FILE --repos DIR``. On the local base
image come the interpreter of this host that suits the instance, its locked packages, and the repository at its base
commit, laid out as in the published images: /testbed, and an environment called testbed below /opt/miniconda3.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from harness.errors import InfrastructureError, InputError, RestartlabError
from harness.sandbox.docker.engine import DEFAULT_IMAGE, client, image_id
from harness.sandbox.docker.labels import own_labels
from harness.sandbox.interpreter import Interpreter
from tasks.swebench.bases import python_for, site_for_instance
from tasks.swebench.dataset import load_instances
from tasks.swebench.images import image_names
from tasks.swebench.instance import Instance
from tasks.swebench.mirror import find_mirror
from tasks.swebench.repositories import repository_of

CONDA = "opt/miniconda3"
ENVIRONMENT = f"{CONDA}/envs/testbed"
#: Parts of an interpreter that no test of a library needs.
LEFT_OUT = {"site-packages", "dist-packages", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip"}
#: In the place of conda's own script, with the one thing that evaluation scripts ask of it.
ACTIVATE = """conda() {
    [ "$1" = activate ] || return 1
    export CONDA_DEFAULT_ENV="${2:-base}" CONDA_PREFIX="/opt/miniconda3/envs/${2:-base}"
    export PATH="$CONDA_PREFIX/bin:$PATH"
}
"""
DOCKERFILE = f"""FROM {DEFAULT_IMAGE}
ADD root.tar /
ENV PATH=/{ENVIRONMENT}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LABEL org.restartlab.image=instance
WORKDIR /testbed
"""
GIT = {
    "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C",
}  # fmt: skip
#: How the mirror serves one commit that no branch of it need end with; nothing is written to it.
UPLOAD_PACK = "git -c safe.directory=* -c uploadpack.allowAnySHA1InWant=true upload-pack"


def check_out(mirror: Path, commit: str, target: Path) -> None:
    """A repository at ``target`` that holds ``commit``, under its own name, and nothing before or after it."""
    for arguments in (
        ("init", "-q", "--template=", "--initial-branch=main", "."),
        ("fetch", "-q", "--depth=1", "--no-tags", f"--upload-pack={UPLOAD_PACK}", f"file://{mirror}", commit),
        ("-c", "core.autocrlf=false", "reset", "-q", "--hard", commit),
    ):
        done = subprocess.run(["git", *arguments], cwd=target, env=GIT, capture_output=True, text=True)
        if done.returncode:
            raise InfrastructureError(f"git {arguments[0]} failed: {done.stderr.strip()[-300:]}")
    (target / ".git" / "FETCH_HEAD").unlink(missing_ok=True)


class Root:
    """The tar archive that is laid over the base image: everything belongs to root, everybody may read it."""

    def __init__(self, tar: tarfile.TarFile):
        self._tar, self._made = tar, set[str]()

    def _parents(self, name: str) -> None:
        parts = name.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth])
            if folder not in self._made:
                self._made.add(folder)
                self._add(folder, tarfile.DIRTYPE, 0o755)

    def _add(self, name: str, kind: bytes, mode: int, data: bytes = b"", link: str = "") -> None:
        member = tarfile.TarInfo(name)
        member.type, member.mode, member.linkname, member.size = kind, mode, link, len(data)
        self._tar.addfile(member, io.BytesIO(data))

    def text(self, name: str, text: str) -> None:
        self._parents(name)
        self._add(name, tarfile.REGTYPE, 0o644, text.encode())

    def link(self, name: str, target: str) -> None:
        self._parents(name)
        self._add(name, tarfile.SYMTYPE, 0o777, link=target)

    def tree(self, source: Path, name: str, left_out: set[str] = frozenset()) -> None:  # type: ignore[assignment]
        """All below ``source``, or ``source`` itself if it is a file, but what has a name of ``left_out``."""
        self._parents(f"{name}/x" if source.is_dir() else name)

        def shown(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
            if left_out & set(member.name.removeprefix(name).split("/")):
                return None
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            return member

        self._tar.add(source, name, filter=shown)


def add_python(root: Root, python: Interpreter, site: Path) -> None:
    """The interpreter at its own prefix, where it finds its library, and an environment of it with ``site``."""
    own = str(python.prefix).strip("/")
    if not own.startswith("usr") or own.startswith("usr/local"):
        root.tree(python.executable, str(python.executable).strip("/"))
        root.tree(python.stdlib, str(python.stdlib).strip("/"), LEFT_OUT)
        for library in python.prefix.glob("lib/libpython*.so*"):
            root.tree(library, str(library).strip("/"))
    for name in ("python", "python3", f"python{python.version}"):
        root.link(f"{ENVIRONMENT}/bin/{name}", str(python.executable))
    root.text(f"{ENVIRONMENT}/pyvenv.cfg", f"home = {python.executable.parent}\nversion = {python.full_version}\n")
    root.tree(site, f"{ENVIRONMENT}/lib/python{python.version}/site-packages")
    root.text(f"{CONDA}/bin/activate", ACTIVATE)


def build(instance: Instance, repos: Path) -> str:
    """Builds the image; its name."""
    repository, python = repository_of(instance), python_for(instance)
    mirror, name = find_mirror(repos, instance.repo, instance.base_commit), image_names(instance)[0]
    image_id(DEFAULT_IMAGE)
    site = site_for_instance(instance, python)
    folder = Path(tempfile.mkdtemp(prefix="restartlab-image-"))
    try:
        (folder / "testbed").mkdir()
        check_out(mirror.absolute(), instance.base_commit, folder / "testbed")
        (folder / "context").mkdir()
        with tarfile.open(folder / "context" / "root.tar", "w", format=tarfile.PAX_FORMAT) as tar:
            root = Root(tar)
            add_python(root, python, site)
            root.tree(folder / "testbed", "testbed")
        (folder / "context" / "Dockerfile").write_text(DOCKERFILE)
        for said in client().api.build(path=str(folder / "context"), tag=name, rm=True, decode=True):
            if "error" in said:
                raise InfrastructureError(f"the engine did not build {name}: {said['error']}")
    finally:
        shutil.rmtree(folder)
    _try(name, f"/{ENVIRONMENT}/bin/python -c 'import {repository.module}'")
    return name


def _try(name: str, command: str) -> None:
    """Runs ``command`` in the image."""
    from docker.errors import DockerException

    try:
        client().containers.run(name, ["sh", "-c", command], network_mode="none", remove=True, labels=own_labels())
    except DockerException as error:
        raise InfrastructureError(f"{name} was built, but does not work: {str(error)[-300:]}") from None


def main() -> None:
    parser = argparse.ArgumentParser(description="Builds the image of a SWE-bench instance from this machine's parts.")
    parser.add_argument("instance", help="instance id, as sympy__sympy-22714")
    parser.add_argument("--dataset", required=True, help="file in SWE-bench's format, or a name on the hub")
    parser.add_argument("--repos", required=True, type=Path, help="folder of git mirrors, or one mirror")
    given = parser.parse_args()
    try:
        instances = load_instances(given.dataset)
        if given.instance not in instances:
            raise InputError(f"has no instance {given.instance!r}", file=given.dataset, mend="check the instance id")
        name = build(instances[given.instance], given.repos)
    except RestartlabError as error:
        print(f"docker-instance: {error}", file=sys.stderr)
        sys.exit(2)
    print(f"{name} is {image_id(name)}")


if __name__ == "__main__":
    main()
