"""Bases and Pythons of images: the repository that an image has, and the interpreter that it has for it."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import asdict
from pathlib import Path

from harness.errors import InfrastructureError
from harness.locks import locked
from harness.paths import cache_dir
from harness.sandbox import host
from harness.sandbox.docker.engine import client
from harness.sandbox.docker.export import export_folder
from harness.sandbox.docker.sandbox import DockerSandbox
from harness.sandbox.interface import WORKSPACE, Limits, SandboxLost
from harness.sandbox.tools import ImagePython, Tools
from harness.temporary import write_whole
from harness.workspace.base import Base, build_base, built_digest
from harness.workspace.manifest import BYTECODE
from harness.workspace.workspace import CandidateMount

_USUAL = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: Finds the environment called testbed, else whatever Python the image starts; prints what it says of itself.
_FIND = r"""
found=$(find /opt /usr/local /home /root -xdev -maxdepth 5 -path '*/envs/testbed/bin/python' 2>/dev/null | head -n 1)
[ -n "$found" ] || found=$(command -v python || command -v python3) || exit 0
"$found" -I -c 'import json, sys, sysconfig
print("\n" + json.dumps([sys.argv[1], sys.version.split()[0], sysconfig.get_paths()["purelib"]]))' "$found"
"""
#: Oldest Python that can run the test runner, and whose bytecode can be checked by content.
_OLDEST = (3, 7)
_COMPILE = "{python} -I -m compileall -q -j 2 --invalidation-mode checked-hash -x /tests/ {workspace}"
#: Raise when the Python of an image is found in another way, so that kept answers are not used.
_RECIPE = 1


def _key(digest: str) -> dict[str, object]:
    return {"image": digest, "folder": WORKSPACE}


def base_of_image(digest: str) -> Base:
    """The repository of an image as a base of one commit, copied out of it if this machine has not done so.

    The image's own ``.git``, which can hold what came later, is left behind.
    """
    return build_base(_key(digest), lambda target: export_folder(digest, WORKSPACE, target), [])


def known_base_of_image(digest: str) -> str | None:
    """Digest of that base if it is in the cache."""
    return built_digest(_key(digest))


def tools_of_image(name: str, digest: str, base: Base) -> Tools:
    """The image with its Python, if it has one that can run tests here; looked for once."""
    kept = _kept(digest)
    found = known_tools_of_image(name, digest)
    if found is None:
        with locked(cache_dir() / "locks" / f"image-{kept.stem[:16]}"):
            write_whole(kept, json.dumps(_looked_up(name, digest, base)).encode(), kept.parent)
        found = known_tools_of_image(name, digest)
    assert found is not None
    return found


def known_tools_of_image(name: str, digest: str) -> Tools | None:
    """The same if it has been looked for before, else None."""
    try:
        path, python = json.loads(_kept(digest).read_bytes())
        return Tools(image=name, image_digest=digest, path=path, inside=python and ImagePython(**python))
    except (OSError, ValueError, TypeError):  # absent, or torn by a crash
        return None


def _kept(digest: str) -> Path:
    return cache_dir() / "images" / f"{digest.partition(':')[2]}-{_RECIPE}.json"


def _looked_up(name: str, digest: str, base: Base) -> tuple[str, dict[str, str] | None]:
    """(PATH inside, the Python)."""
    variables = client().api.inspect_image(digest)["Config"]["Env"] or []
    path = next((one.partition("=")[2] for one in variables if one.startswith("PATH=")), _USUAL)
    said = _run(Tools(image=name, image_digest=digest, path=path), base, _FIND).strip().splitlines()
    try:
        executable, version, packages = json.loads(said[-1])
    except (IndexError, ValueError):
        return path, None
    folder = os.path.dirname(executable)
    others = [one for one in path.split(":") if one and one != folder]
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    python = ImagePython(executable, version, packages) if numbers >= _OLDEST else None
    return ":".join([folder, *others]), asdict(python) if python else None


def _run(tools: Tools, base: Base, command: str, bytecode: bool = False) -> str:
    """What ``command`` printed in the image; with ``bytecode``, what it compiled is kept with the base."""
    with CandidateMount(base, {}, lambda digest: b"") as mounts:
        sandbox = DockerSandbox(tools)
        try:
            sandbox.start(mounts, Limits(seconds=600))
            result = sandbox.run(command)
        except SandboxLost as lost:
            raise InfrastructureError(f"the image {tools.image} does not run: {lost}") from lost
        finally:
            sandbox.stop()
        if bytecode and mounts.upper:
            _keep_bytecode(mounts.upper, base.evaluator)
    return result.output.decode(errors="replace")


def compile_base(base: Base, tools: Tools) -> None:
    """Byte-compiles the evaluator's copy with the image's Python, once."""
    assert tools.inside is not None and tools.image_digest is not None
    folder = base.evaluator.parent
    marker = folder / f"compiled-{tools.image_digest.partition(':')[2][:16]}"
    if marker.exists():
        return
    with locked(cache_dir() / "locks" / f"base-{folder.name}"):
        if not marker.exists():
            command = _COMPILE.format(python=tools.inside.executable, workspace=WORKSPACE)
            _run(tools, base, command, bytecode=True)
            marker.touch()


def _keep_bytecode(upper: Path, evaluator: Path) -> None:
    for folder, _, files in os.walk(upper):
        if os.path.basename(folder) != BYTECODE:
            continue
        target = evaluator / os.path.relpath(folder, upper)
        target.mkdir(exist_ok=True)
        host.give(target)
        for name in files:
            shutil.copyfile(os.path.join(folder, name), target / name)
            os.chmod(target / name, 0o644)
            host.give(target / name)
