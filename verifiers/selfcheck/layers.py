"""Probes of layers and checkpoints: what an agent leaves in a workspace is data, never followed or honoured."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness.errors import InputError
from harness.paths import state_dir
from harness.sandbox.selfcheck.probe import Finding, Probe
from harness.sandbox.selfcheck.scene import Scene
from harness.workspace.base import tree_digest
from harness.workspace.files import remove_tree
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry
from harness.workspace.materialise import materialise
from verifiers.selfcheck.bench import Bench
from verifiers.selfcheck.tiny import CORE


def layer_probes(bench: Bench) -> list[Probe]:
    """Probes of snapshots and restored layers on ``bench``."""
    tries: dict[str, tuple[str, Callable[[Bench, Scene], Finding]]] = {
        "links": ("have a snapshot read files of the host through links", _links),
        "base": ("change the shared base through hard links and links", _base),
        "special": ("stop a snapshot with pipes, sockets, closed and deep folders", _special),
        "paths": ("have a restored layer write outside: '..', absolute and odd paths", _paths),
        "through-link": ("have a restored layer write through a link that it brought", _through),
        "modes": ("have a restored layer bring setuid bits, devices, sockets", _modes),
        "poisoned": ("destroy an earlier checkpoint by a later one", _poisoned),
    }
    return [Probe(f"layers.{name}", what, check=partial(check, bench)) for name, (what, check) in tries.items()]


def _restored(bench: Bench, layer: Layer, target: Path) -> None:
    materialise(layer.manifest, target, bench.content.__getitem__, bench.base.manifest)


class _Folder:
    """A scratch folder with a place to restore into, and a neighbour that must stay as it is."""

    def __enter__(self) -> _Folder:
        self.root = Path(tempfile.mkdtemp(prefix="selfcheck-", dir=state_dir()))
        self.target, self.outside = self.root / "a" / "target", self.root / "outside"
        self.target.mkdir(parents=True)
        self.outside.mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        remove_tree(self.root)

    @property
    def escaped(self) -> list[str]:
        inside = (self.target, self.target.parent, self.outside)
        return [p.name for p in self.root.rglob("*") if p not in inside and self.target not in p.parents]


def _links(bench: Bench, scene: Scene) -> Finding:
    folder, file = scene.file.parent, scene.file
    layer = bench.layer(
        f"ln -s {file} link; ln -s {folder} folder; mkdir d; ln -s ../link d/again; ln -s /etc/passwd passwd; "
        f"ln -s /proc/self/environ environ; rm -r README; ln -s {file} README; ln {file} hard 2>/dev/null; true"
    )
    if any(scene.secret.encode() in data for data in bench.content.values()):
        return Finding("got through", "the snapshot holds the content of a host file")
    kinds = {path: layer.manifest[path].kind for path in ("link", "folder", "README", "environ")}
    if set(kinds.values()) != {"symlink"}:
        return Finding("got through", f"links were followed: {kinds}")
    return Finding("refused", f"{sum(e.kind == 'symlink' for e in layer.manifest.values())} links kept as links")


def _base(bench: Bench, scene: Scene) -> Finding:
    bench.layer(
        f"ln {CORE} hard; echo '# changed' >> hard; ln -s $PWD/{CORE} soft; echo '# changed' >> soft; "
        "mv README moved; echo changed >> moved; chmod 777 selfcheckpkg"
    )
    if tree_digest(bench.base.tree) != bench.base.digest:
        return Finding("got through", "the base changed")
    return Finding("refused", "the base is as it was")


def _special(bench: Bench, scene: Scene) -> Finding:
    layer = bench.layer(
        "mkfifo pipe; mkdir closed; echo x > closed/file; chmod 0 closed; echo y > unreadable; chmod 0 unreadable; "
        "python3 -c \"import os, socket; socket.socket(socket.AF_UNIX).bind('socket')\nfor _ in range(300):\n"
        " os.mkdir('d'); os.chdir('d')\""
    )
    kinds = {path: layer.manifest[path].kind for path in ("pipe", "socket", "closed/file", "unreadable")}
    if kinds != {"pipe": "fifo", "socket": "socket", "closed/file": "file", "unreadable": "file"}:
        return Finding("got through", f"read as {kinds}")
    verdict = bench.judge(layer)
    return Finding("undecided" if verdict.passed else "refused", f"read to the end, {verdict.state}")


def _paths(bench: Bench, scene: Scene) -> Finding:
    bench.keep(b"x")
    digest = next(name for name, data in bench.content.items() if data == b"x")
    paths = (
        "../escaped", "/escaped", "d/../../escaped", "d//escaped", "./escaped", "%2e%2e/escaped", "a%2f..%2fb",
        "a%00b", "",
    )  # fmt: skip
    with _Folder() as place:
        for path in paths:
            try:
                _restored(bench, Layer({path: Entry("file", 0o644, digest, 1)}), place.target)
            except InputError:
                continue
            return Finding("got through", f"{path!r} was taken")
        if place.escaped:
            return Finding("got through", f"{place.escaped} lies outside")
    return Finding("refused", f"{len(paths)} unsafe paths refused")


def _through(bench: Bench, scene: Scene) -> Finding:
    bench.keep(b"x")
    digest = next(name for name, data in bench.content.items() if data == b"x")
    with _Folder() as place:
        link = Entry("symlink", target=str(place.outside))
        for order in (("way", "way/file"), ("way/file", "way")):
            entries = {"way": link, "way/file": Entry("file", 0o644, digest, 1)}
            try:
                _restored(bench, Layer({path: entries[path] for path in order}), place.target)
            except (OSError, InputError):
                pass
            finally:
                remove_tree(place.target)
                place.target.mkdir()
        if list(place.outside.iterdir()):
            return Finding("got through", "a file was written through the link")
    return Finding("refused", "nothing was written through it")


def _modes(bench: Bench, scene: Scene) -> Finding:
    bench.keep(b"x")
    digest = next(name for name, data in bench.content.items() if data == b"x")
    entries = {
        "setuid": Entry("file", 0o6755, digest, 1), "sticky": Entry("directory", 0o7777),
        "device": Entry("device", 0o666), "socket": Entry("socket", 0o666), "pipe": Entry("fifo", 0o666),
    }  # fmt: skip
    with _Folder() as place:
        _restored(bench, Layer(entries), place.target)
        modes = {p.name: p.lstat().st_mode for p in place.target.iterdir()}
    bad = [name for name, mode in modes.items() if mode & 0o7000 or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))]
    return Finding("got through", f"restored: {bad}") if bad else Finding("refused", f"restored plain: {sorted(modes)}")


def _poisoned(bench: Bench, scene: Scene) -> Finding:
    first = bench.layer("echo kept > kept; mkdir .cache; echo cached > .cache/file")
    bench.layer("ln -s kept link; rm -rf kept .cache; mkdir kept; ln -s / .cache; chmod 0 kept")
    with _Folder() as place:
        _restored(bench, first, place.target)
        paths = [place.target / name for name in ("kept", ".cache/file")]
        files = [path.read_bytes() if path.is_file() else b"" for path in paths]
    if files != [b"kept\n", b"cached\n"]:
        return Finding("got through", f"the earlier one is {files}")
    return Finding("refused", "the earlier one is whole")
