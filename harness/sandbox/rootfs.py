"""The read-only root that a bubblewrap sandbox shows: the host's system programs, and nothing else of the host.

``/usr`` is the host's, with the folders masked that can hold local software or the very library under repair;
``/etc`` holds a handful of files made here. The Python of the sandbox is bound at its own prefix (elsewhere it would
miss its library), its package folders replaced by the site that the task declares.
"""

from __future__ import annotations

import os
import shutil
from functools import lru_cache
from pathlib import Path
from typing import Literal

from harness.canonical import digest_bytes
from harness.errors import InputError
from harness.paths import cache_dir
from harness.sandbox.host import visible
from harness.sandbox.interface import WORKSPACE
from harness.sandbox.interpreter import Interpreter

#: Folders of /usr that are hidden: local software, sources, and Python packages of the distribution.
_MASKED = ("/usr/local", "/usr/src", "/usr/games", "/usr/share/doc", "/usr/lib/python3/dist-packages")
_TOP_LEVEL = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = {
    "passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n",
    "group": "root:x:0:\nagent:x:1000:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "hostname": "sandbox\n",
    "gitconfig": "[user]\n\tname = agent\n\temail = agent@sandbox\n[safe]\n\tdirectory = *\n",
}
#: From the host's /etc: the loader's cache, the local time, and the names of alternatives (awk, editor).
_ETC_OF_HOST = ("ld.so.cache", "localtime")
_ALTERNATIVES = Path("/etc/alternatives")
HOME = "/home/agent"

#: A part of the root as bwrap's words: what to do, with what, where.
Part = tuple[Literal["--ro-bind", "--symlink"], str, str]


@lru_cache(maxsize=1)
def _etc(cache: Path) -> Path:
    """The sandbox's /etc below ``cache``, written once for each content. One folder: every mount costs each action."""
    files = {name: text.encode() for name, text in _ETC.items()}
    files |= {name: Path("/etc", name).read_bytes() for name in _ETC_OF_HOST if Path("/etc", name).is_file()}
    links = {path.name: os.readlink(path) for path in sorted(_ALTERNATIVES.glob("*")) if path.is_symlink()}
    folder = cache / f"etc-{digest_bytes(repr((files, links)).encode())[:16]}"
    if not folder.is_dir():
        fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.rmtree(fresh, ignore_errors=True)
        (fresh / "alternatives").mkdir(parents=True)
        for name, content in files.items():
            (fresh / name).write_bytes(content)
        for name, target in links.items():
            (fresh / "alternatives" / name).symlink_to(target)
        try:
            os.rename(fresh, folder)
        except OSError:  # another process was first
            shutil.rmtree(fresh, ignore_errors=True)
    return folder


#: Folders in which the sandbox gets mounts of its own.
PLACES = ("/proc", "/dev", "/tmp", "/run", HOME, WORKSPACE)


def _is_below(path: Path, folder: str) -> bool:
    return path == Path(folder) or Path(folder) in path.parents


def _empty() -> Path:
    folder = cache_dir() / "empty"
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    return visible(folder)


def system_parts() -> list[Part]:
    """The system part of the root."""
    parts: list[Part] = [("--ro-bind", "/usr", "/usr")]
    for name in _TOP_LEVEL:
        top = Path("/", name)
        if top.is_symlink():
            parts.append(("--symlink", os.readlink(top), str(top)))
        elif top.is_dir():
            parts.append(("--ro-bind", str(top), str(top)))
    for folder in _MASKED:
        if Path(folder).is_dir() and any(os.scandir(folder)):
            parts.append(("--ro-bind", str(_empty()), folder))
    return [*parts, ("--ro-bind", str(visible(_etc(cache_dir()))), "/etc")]


def package_folders(python: Interpreter) -> list[Path]:
    """Package folders of ``python``: the one that shows the sandbox's packages first, then those to be hidden."""
    folders = sorted((p for p in python.packages if p.is_dir()), key=lambda p: (p.name != "site-packages", str(p)))
    if not folders:
        raise InputError(f"{python.executable} has no package folder", mend="use a Python with a site-packages folder")
    return folders


def python_parts(python: Interpreter, site: Path) -> list[Part]:
    """``python`` at its own prefix, with ``site`` as its only packages.

    Raises:
        InputError: a folder of the sandbox's own would cover it there.
    """
    for place in PLACES:
        if _is_below(python.prefix, place) or _is_below(python.executable, place):
            raise InputError(
                f"the Python at {python.prefix} cannot be shown in a sandbox, which has a {place} of its own",
                mend=f"use a Python that is installed elsewhere than below {place}",
            )
    parts: list[Part] = []
    if not _is_below(python.prefix, "/usr") or _is_below(python.prefix, "/usr/local"):
        parts.append(("--ro-bind", str(visible(python.prefix)), str(python.prefix)))
    first, *others = package_folders(python)
    for folder in others:
        if not any(_is_below(folder, mask) for mask in _MASKED) or _is_below(python.prefix, "/usr/local"):
            parts.append(("--ro-bind", str(_empty()), str(folder)))
    parts.append(("--ro-bind", str(visible(site)), str(first)))
    for name in ("python", "python3", f"python{python.version}"):
        parts.append(("--symlink", str(python.executable), f"/opt/bin/{name}"))
    return parts
