"""Probes of other attempts: two workspaces that live at the same time do not see each other."""

from __future__ import annotations

from harness.sandbox.selfcheck.probe import Finding, Probe, by_words
from harness.sandbox.selfcheck.scene import Scene

_READ = "def read(path):\n    with open(path, 'rb') as stream:\n        return stream.read(200)\n"

_LEAVE = """
for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/dev/mqueue", os.path.expanduser("~"), "/run/lock"):
    try:
        open(folder + "/message-" + V["nonce"], "w").write("message")
    except OSError:
        continue
"""
_FIND = """
def found(folder):
    return os.path.exists(folder + "/message-" + V["nonce"]) or None
for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/dev/mqueue", os.path.expanduser("~"), "/run/lock"):
    tried(folder, lambda: found(folder))
"""


def _message(scene: Scene) -> Finding:
    """One sandbox leaves a message, the other looks for it."""
    scene.run(_LEAVE)
    return by_words(scene, scene.run(_FIND, neighbour=True))


PROBES = (
    Probe(
        "others.files", "read the files of another live attempt in /tmp, home and the same folder",
        _READ
        + """
for path in ("/tmp/", os.path.expanduser("~/"), "./", "/home/agent/"):
    tried(path, lambda: read(path + V["marker"]))
""",
    ),
    Probe(
        "others.layers", "reach another attempt's layer, /tmp and home by their paths on the host",
        _READ + "for path in V['beside']: tried('layer', lambda: read(path + '/' + V['marker']))",
    ),
    Probe(
        "others.mount-table", "reach the folders that the mount table names (lowerdir, upperdir, workdir)",
        """
import re
text = open("/proc/self/mountinfo").read()
for path in sorted(set(re.findall("(?:lowerdir|upperdir|workdir)=([^,: ]+)", text))):
    tried(path, lambda: os.listdir(path) or True)
tried("the mount table", lambda: None)
""",
    ),
    Probe("others.message", "leave a message for another attempt in a shared place", check=_message),
    Probe(
        "others.next-command", "change what the next command runs (PATH, shell start-up, python) outside the workspace",
        """
for path in ("/opt/bin/x", "/usr/bin/x", "/bin/x", "/etc/profile.d/x.sh", "/etc/bash.bashrc", "/etc/ld.so.preload"):
    tried(path, lambda: os.open(path, os.O_WRONLY | os.O_CREAT))
""",
    ),
)  # fmt: skip
