"""Probes of privilege: none is held, none is gained, none is left behind on the host."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from harness.sandbox import host
from harness.sandbox.interface import Result
from harness.sandbox.selfcheck.probe import Finding, Probe, by_words
from harness.sandbox.selfcheck.scene import Scene


def _plant_setuid(scene: Scene) -> str | None:
    """A setuid-root program in the workspace, as a careless base could hold one."""
    if not host.is_root():
        return "only root can make a setuid-root program"
    upper = scene.current.mounts.upper
    program = shutil.which("id")
    if upper is None or program is None:
        return "no writable workspace on the host, or no id(1)"
    place = upper / "setuid-id"
    shutil.copy(program, place)
    os.chown(place, 0, 0)
    place.chmod(0o4755)
    return None


def _no_device(scene: Scene, result: Result) -> Finding:
    """Overlayfs's own marks of deletion (0/0) are not devices."""
    for folder in scene.written:
        for path in folder.iterdir():
            facts = path.lstat()
            if (stat.S_ISBLK(facts.st_mode) or stat.S_ISCHR(facts.st_mode)) and facts.st_rdev != 0:
                return Finding("got through", f"the device {path.name} lies in a folder of the host")
    return by_words(scene, result)


def _no_root_file(scene: Scene, result: Result) -> Finding:
    """A setuid program that root owns would make root of whoever starts it on the host."""
    for folder in scene.written:
        for path in folder.iterdir():
            facts = path.lstat()
            if stat.S_ISREG(facts.st_mode) and facts.st_mode & stat.S_ISUID and facts.st_uid == 0:
                return Finding("got through", f"{path.name} is setuid root on the host")
    return by_words(scene, result)


def _not_owned_by_root(scene: Scene, result: Result) -> Finding:
    """Whatever the uid is inside: files of the sandbox that root owns on the host were made by root."""
    upper = scene.current.mounts.upper
    if host.is_root() and upper and (upper / "owned").is_file() and (upper / "owned").stat().st_uid == 0:
        return Finding("got through", "what it writes belongs to root on the host")
    return by_words(scene, result)


def _needs_root(scene: Scene) -> str | None:
    return None if host.is_root() else "the harness does not run as root here"


#: Extended attributes by which overlayfs shows another file in place of the one that bears them.
_MARKS = {f"{space}.overlay.{mark}" for space in ("user", "trusted") for mark in ("redirect", "metacopy", "whiteout")}


def _no_mark(scene: Scene, result: Result) -> Finding:
    """Overlayfs keeps marks that the inside sets under other names (user.overlay.overlay...)."""
    upper = scene.current.mounts.upper
    folder: Path | None = upper / "marked" if upper else None
    if folder and folder.is_dir():
        for name in os.listxattr(folder):
            if name in _MARKS:
                return Finding("got through", f"{name} stands on a folder of the layer")
    return by_words(scene, result)


def _needs_overlay(scene: Scene) -> str | None:
    return None if scene.current.mounts.work else "its workspace is no overlay"


PROBES = (
    Probe(
        "privileges.capabilities", "hold capabilities, or be able to gain them",
        """
facts = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
for name in ("CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd"):
    tried(name, lambda: facts[name] if int(facts[name], 16) else None)
tried("new privileges", lambda: facts["NoNewPrivs"] != "1")
tried("no filter of system calls", lambda: facts["Seccomp"] != "2")
""",
    ),
    Probe(
        "privileges.root", "be root, outside or inside",
        """
tried("uid", lambda: 0 in os.getresuid() or 0 in os.getresgid() or 0 in os.getgroups())
open("owned", "w").write("x")
def become():
    os.setuid(0)
    return True
tried("setuid(0)", become)
""",
        judge=_not_owned_by_root, own_sandbox=True,
    ),
    Probe(
        "privileges.setuid-program", "run a setuid-root program",
        """
import subprocess
def run():
    done = subprocess.run(["./setuid-id", "-u"], capture_output=True)
    return done.stdout.split() == [b"0"] or None
tried("setuid-root id", run)
""",
        prepare=_plant_setuid,
    ),
    Probe(
        "privileges.setuid-system", "use the system's own setuid programs",
        """
import glob
privileged = [p for t in ("/usr/bin/*", "/usr/sbin/*", "/usr/lib/*/*") for p in glob.glob(t)
              if os.path.isfile(p) and os.stat(p).st_mode & 0o6000]
held = "NoNewPrivs:\\t1" in open("/proc/self/status").read()
tried("%d setuid programs" % len(privileged), lambda: bool(privileged) and not held)
""",
    ),
    Probe(
        "privileges.setuid-left", "leave a setuid-root program behind in the workspace",
        """
import shutil
def leave():
    shutil.copy("/bin/true", "left-setuid")
    os.chmod("left-setuid", 0o6755)
tried("left", leave)
""",
        judge=_no_root_file, prepare=_needs_root, own_sandbox=True,
    ),
    Probe(
        "privileges.devices-made", "make device nodes (disk, memory) and use them",
        """
block, character = stat.S_IFBLK, stat.S_IFCHR
nodes = {"sda": (block, 8, 0), "vda": (block, 254, 0), "mem": (character, 1, 1), "kmsg": (character, 1, 11)}
def make(path, kind, *number):
    os.mknod(path, kind | 0o666, os.makedev(*number))
    return True
for name, node in nodes.items():
    for folder in (".", "/tmp", "/dev/shm"):
        tried(folder + "/" + name, lambda: make(folder + "/node-" + name, *node))
""",
        judge=_no_device, own_sandbox=True,
    ),
    Probe(
        "privileges.devices", "open the host's devices (memory, disks, kvm, fuse, loop, vsock)",
        """
import glob
paths = ["/dev/mem", "/dev/port", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/loop-control",
         "/dev/vsock", "/dev/vhost-vsock", "/dev/net/tun", "/dev/uinput", "/dev/dri/card0"]
paths += [p for t in ("sd*", "vd*", "nvme*", "xvd*", "loop*", "dm-*", "tty[0-9]*") for p in glob.glob("/dev/" + t)]
for path in paths:
    tried(path, lambda: os.open(path, os.O_RDONLY | os.O_NONBLOCK))
""",
    ),
    Probe(
        "privileges.overlay-marks", "forge overlayfs's marks, so that the next mount shows another folder",
        """
os.makedirs("marked", exist_ok=True)
for name in ("redirect", "metacopy", "whiteout"):
    for prefix in ("user", "trusted"):
        key = "%s.overlay.%s" % (prefix, name)
        tried(key, lambda: os.setxattr("marked", key, b"/etc"))
""",
        judge=_no_mark, prepare=_needs_overlay, own_sandbox=True,
    ),
)  # fmt: skip
