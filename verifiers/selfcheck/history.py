"""Probes of history: the workspace's repository holds the base, and nothing later."""

from __future__ import annotations

from harness.sandbox.selfcheck.probe import Probe
from verifiers.selfcheck.tiny import REPAIRED

_GIT = """
import subprocess
def git(*words):
    done = subprocess.run(["git", *words], capture_output=True)
    if done.returncode:
        raise OSError(0, done.stderr.decode(errors="replace").strip()[-80:] or "refused")
    return done.stdout
"""

PROBES = (
    Probe(
        "history.commits", "find commits after the base: log --all, reflog, stash, tags, remotes",
        _GIT
        + """
tried("log", lambda: len(git("log", "--all", "--reflog", "--format=%H").split()) > 1)
names = git("for-each-ref", "--format=%(refname)").split()
tried("refs", lambda: [name for name in names if name != b"refs/heads/main"] or None)
tried("remotes", lambda: git("remote", "-v") or None)
tried("stash", lambda: git("stash", "list") or None)
""",
    ),
    Probe(
        "history.objects", "find the repair among all objects: packed, loose, unreachable, borrowed",
        _GIT
        + f"""
def search():
    listed = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").split()
    for name in listed[::2]:
        if b"{REPAIRED}" in git("cat-file", "-p", name.decode()):
            return name.decode()
tried("objects", search)
tried("unreachable", lambda: git("fsck", "--unreachable", "--no-reflogs", "--no-progress") or None)
tried("alternates", lambda: open(".git/objects/info/alternates").read() or None)
""",
    ),
    Probe(
        "history.fetch", "fetch later history from where the sources come from",
        _GIT
        + """
tried("https", lambda: git("ls-remote", "https://192.0.2.1/x.git") or True)
pip = "python3 -m pip download --no-deps -q --retries 0 --timeout 1 -i http://192.0.2.1/ six"
tried("pip", lambda: subprocess.run(pip.split(), capture_output=True).returncode == 0)
""",
        seconds=8,
    ),
)  # fmt: skip
