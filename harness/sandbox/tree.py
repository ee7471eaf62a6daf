"""The read-only root as one tree of mounts, made once: every mount that bubblewrap makes itself costs each action.

Only root can; an ordinary user's bubblewrap mounts part by part.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from harness.sandbox import host
from harness.sandbox.rootfs import PLACES, Part

_KEPT_OUT = host.MS_RDONLY | host.MS_NOSUID | host.MS_NODEV


def root_arguments(parts: list[Part]) -> list[str]:
    """bwrap arguments for a root that shows ``parts``. Nothing else can be put into it but below ``PLACES``."""
    if not host.is_root():
        return [word for part in parts for word in part]
    host.prepare()
    return ["--ro-bind", str(_tree(tuple(parts))), "/"]


@cache
def _tree(parts: tuple[Part, ...]) -> Path:
    with host.lock:
        name = f"root{len(list(host.PLACE.glob('root*')))}"
        tree, shown = host.WORKSHOP / name, host.PLACE / name
        for folder in (tree, shown):
            folder.mkdir(mode=0o755)
        host.mount("restartlab", str(tree), "tmpfs", host.MS_NOSUID | host.MS_NODEV, "mode=0755,size=1m")
        for what, source, place in parts:
            target = tree / place.lstrip("/")
            if what == "--symlink":
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(source)
            else:
                _show(Path(source), target)
        for place in PLACES:
            (tree / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
        host.mount("none", str(tree), None, host.MS_REMOUNT | host.MS_BIND | _KEPT_OUT)
        host.mount(str(tree), str(shown), None, host.MS_BIND | host.MS_REC)  # whole, as flags set later do not spread
    return shown


def _show(source: Path, target: Path) -> None:
    """Binds the folder ``source``. What is mounted below it comes along, and bubblewrap makes that read-only too."""
    target.mkdir(parents=True, exist_ok=True)
    host.mount(str(source), str(target), None, host.MS_BIND | host.MS_REC)
    host.mount("none", str(target), None, host.MS_REC | host.MS_PRIVATE)  # or what follows appeared at the source too
    kept = host.MS_NOEXEC if os.statvfs(target).f_flag & os.ST_NOEXEC else 0
    host.mount("none", str(target), None, host.MS_REMOUNT | host.MS_BIND | _KEPT_OUT | kept)
