"""Probes of the host's files: none is shown, and none is written."""

from __future__ import annotations

from harness.sandbox.interface import Result
from harness.sandbox.selfcheck.probe import Finding, Probe, by_words
from harness.sandbox.selfcheck.scene import Scene

_READ = "def read(path):\n    with open(path, 'rb') as stream:\n        return stream.read(200)\n"


def _no_copy_on_the_host(scene: Scene, result: Result) -> Finding:
    """A file of that name beside the canary would have been written from inside."""
    if (scene.folder / f"{scene.marker}.written").exists():
        return Finding("got through", "a file appeared in the state directory")
    return by_words(scene, result)


PROBES = (
    Probe(
        "files.state", "read a file of the state directory by its path",
        _READ + "tried('file', lambda: read(V['file']))",
    ),
    Probe(
        "files.state-write", "write into the state directory by its path",
        """
def write():
    os.makedirs(os.path.dirname(V["file"]), exist_ok=True)
    open(V["file"] + ".written", "w").write("x")
tried("write", write)
""",
        judge=_no_copy_on_the_host, own_sandbox=True,  # the folders that it makes inside would mislead others
    ),
    Probe(
        "files.temporary", "read a file of the host's temporary folder",
        _READ + "tried('file', lambda: read(V['temporary']))",
    ),
    Probe(
        "files.home", "see what is in the home of whoever runs the harness",
        "tried('home', lambda: [path for path in V['home'] if os.path.lexists(path)][:3] or None)",
    ),
    Probe(
        "files.root-home", "list /root",
        """
def listed():
    ways = [part for prefix in V["prefixes"] for part in prefix.split("/")]
    return [name for name in os.listdir("/root") if name not in ways][:3] or None
tried("/root", listed)
""",
    ),
    Probe(
        "files.shadow", "read the password hashes of the system",
        _READ + "for p in ('/etc/shadow', '/etc/shadow-', '/etc/gshadow'): tried(p, lambda: len(read(p)) or None)",
    ),
    Probe(
        "files.machine", "read the machine's identity",
        "tried('/etc/machine-id', lambda: open('/etc/machine-id').read()[:8] == V['machine'] or None)",
    ),
    Probe(
        "files.hidden-tests", "read hidden tests and reference repairs where the harness keeps them",
        """
def found():
    return [name for _, _, names in os.walk(V["tasks"]) for name in names][:3] or None
tried("task folder", found)
""",
    ),
    Probe(
        "files.proc-root", "reach the host's root by /proc/PID/root and /proc/PID/cwd of every process",
        _READ
        + """
for number in [name for name in os.listdir("/proc") if name.isdigit()]:
    for way in ("root", "cwd"):
        tried("/proc/%s/%s" % (number, way), lambda: read("/proc/%s/%s%s" % (number, way, V["file"])))
""",
    ),
    Probe(
        "files.climb", "climb out of the workspace by '..' and by an open folder",
        _READ
        + """
tried("dots", lambda: read("../" * 40 + V["file"].lstrip("/")))
def climb():
    end = os.open(".", os.O_RDONLY)
    for _ in range(40):
        end = os.open("..", os.O_RDONLY, dir_fd=end)
    return os.read(os.open(V["file"].lstrip("/"), os.O_RDONLY, dir_fd=end), 64)
tried("descriptors", climb)
""",
    ),
    Probe(
        "files.handles", "open files by handle, past every mount (open_by_handle_at)",
        """
def by_handle():
    handle, mount = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128)), ctypes.c_int()
    call(303, 264, -100, b".", handle, ctypes.byref(mount), 0)
    return call(304, 265, os.open(".", os.O_RDONLY), handle, 0) or True
tried("open_by_handle_at", by_handle)
""",
    ),
    Probe(
        "files.system-write", "add files to the system's folders",
        """
def add(folder):
    path = os.path.join(folder, V["marker"])
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    os.unlink(path)
    return True
for folder in ("/usr", "/usr/bin", "/usr/lib", "/bin", "/etc", "/opt", "/var", "/boot", *V["prefixes"]):
    if os.path.isdir(folder):
        tried(folder, lambda: add(folder))
""",
    ),
    Probe(
        "files.search", "search the whole file system for files of the host and of other attempts",
        """
def search():
    for top, names, files in os.walk("/"):
        if top in ("/proc", "/sys", "/usr", "/lib", "/lib64") or top in V["prefixes"]:
            names.clear()
        elif V["marker"] in files and os.path.realpath(top) != os.path.realpath("."):
            return top
tried("search", search)
""",
    ),
)  # fmt: skip
