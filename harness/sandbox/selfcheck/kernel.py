"""Probes of the kernel's interfaces. What belongs to the host is opened and closed, never written."""

from __future__ import annotations

from harness.sandbox.selfcheck.probe import Probe

_OPEN = """
def openable(paths):
    for path in paths:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            yield path
        except OSError:
            pass
"""

PROBES = (
    Probe(
        "kernel.proc-sys", "open the kernel's settings for writing (/proc/sys)",
        _OPEN
        + """
# Some are the sandbox's own, by its namespaces of IPC, pids and network.
own = ("shm", "msg", "sem", "auto_msgmni", "ns_last_pid", "pid_max", "cap_last_cap")
def settings():
    for folder, _, names in os.walk("/proc/sys"):
        if "mqueue" not in folder and not folder.startswith("/proc/sys/net"):
            yield from (folder + "/" + name for name in names if not name.startswith(own))
tried("/proc/sys", lambda: list(openable(settings()))[:3] or None)
""",
    ),
    Probe(
        "kernel.proc", "open sysrq-trigger, interrupts and timer settings for writing; kcore, kmsg for reading",
        _OPEN
        + """
import glob
paths = ["/proc/sysrq-trigger", "/proc/mtrr", *glob.glob("/proc/irq/*/smp_affinity"), "/proc/acpi/wakeup"]
tried("writing", lambda: list(openable(paths))[:3] or None)
def read(path):
    return os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 16) or None
for path in ("/proc/kcore", "/proc/kmsg", "/proc/vmcore", "/proc/kpageflags"):
    tried(path, lambda: read(path))
""",
    ),
    Probe(
        "kernel.sys", "open devices, modules and control groups in /sys for writing",
        _OPEN
        + """
def settings():
    for top in ("/sys/kernel", "/sys/fs/cgroup", "/sys/power", "/sys/module", "/sys/firmware"):
        for folder, names, files in os.walk(top):
            if folder.count("/") > 5:
                names.clear()
            yield from (folder + "/" + name for name in files)
tried("/sys", lambda: list(openable(settings()))[:3] or None)
def group():
    os.mkdir("/sys/fs/cgroup/" + V["marker"])
    os.rmdir("/sys/fs/cgroup/" + V["marker"])
    return True
tried("a control group", group)
""",
    ),
    Probe(
        "kernel.log", "read the kernel's log",
        """
buffer = ctypes.create_string_buffer(64)
tried("syslog", lambda: call(103, 116, 3, buffer, 64) or None)
tried("/dev/kmsg", lambda: os.read(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK), 256) or None)
""",
    ),
    Probe(
        "kernel.mount", "mount a file system",
        """
os.makedirs("m", exist_ok=True)
tried("tmpfs", lambda: call(165, 40, b"none", b"m", b"tmpfs", 0, None) == 0)
tried("bind", lambda: call(165, 40, b"/usr", b"m", None, 4096, None) == 0)
tried("proc", lambda: call(165, 40, b"proc", b"m", b"proc", 0, None) == 0)
""",
        own_sandbox=True,
    ),
    Probe(
        "kernel.mount-new", "mount by the newer calls (fsopen, open_tree, mount_setattr)",
        """
tried("fsopen", lambda: call(430, 430, b"tmpfs", 0) >= 0)
tried("open_tree", lambda: call(428, 428, -100, b"/usr", 1) >= 0)
tried("mount_setattr", lambda: call(442, 442, -100, b"/usr", 0, struct.pack("QQQQ", 0, 1, 0, 0), 32) == 0)
""",
    ),
    Probe(
        "kernel.remount", "make a read-only mount writable again",
        """
for path in (b"/usr", b"/etc", b"/"):
    tried(path.decode(), lambda: call(165, 40, b"none", path, None, 32 | 4096, None) == 0)
""",
    ),
    Probe(
        "kernel.unmount", "unmount what hides the host's files",
        "for path in (b'/proc', b'/tmp', b'/dev'): tried(path.decode(), lambda: call(166, 39, path, 2) == 0)",
        own_sandbox=True,
    ),
    Probe(
        "kernel.user-namespace", "become root in a new user namespace (unshare)",
        """
for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("network", 0x40000000), ("pid", 0x20000000)):
    if os.fork() == 0:
        tried(name, lambda: call(272, 97, flag) == 0)
        os._exit(0)
    os.wait()
""",
    ),
    Probe(
        "kernel.clone", "become root in a new user namespace (clone, clone3)",
        """
def forked(x86, arm, *arguments):
    pid = call(x86, arm, *arguments)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True
tried("clone", lambda: forked(56, 220, 0x10000000 | 17, 0, 0, 0, 0))
tried("clone3", lambda: forked(435, 435, struct.pack("11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88))
""",
    ),
    Probe(
        "kernel.join-namespace", "join the namespaces of other processes (setns)",
        """
for pid in ("1", str(os.getppid())):
    for name in ("user", "mnt", "net", "pid"):
        tried(pid + " " + name, lambda: call(308, 268, os.open("/proc/%s/ns/%s" % (pid, name), os.O_RDONLY), 0) == 0)
""",
    ),
    Probe(
        "kernel.root", "change the root folder (chroot, pivot_root)",
        """
if os.fork() == 0:
    tried("chroot", lambda: call(161, 51, b"/") == 0)
    os._exit(0)
os.wait()
tried("pivot_root", lambda: call(155, 41, b".", b".") == 0)
""",
        own_sandbox=True,
    ),
    Probe(
        "kernel.bpf", "load a program or map into the kernel (bpf)",
        "tried('bpf', lambda: call(321, 280, 0, struct.pack('IIIII', 2, 4, 4, 1, 0) + bytes(108), 128) >= 0)",
    ),
    Probe(
        "kernel.io-uring", "use io_uring, which bypasses filters of system calls",
        "tried('io_uring_setup', lambda: call(425, 425, 1, ctypes.create_string_buffer(120)) >= 0)",
    ),
    Probe(
        "kernel.perf", "measure other processes (perf_event_open)",
        """
attributes = struct.pack("IIQQQQQ", 1, 64, 0, 0, 0, 0, 1 | (1 << 5) | (1 << 6)) + bytes(16)
tried("perf_event_open", lambda: call(298, 241, attributes, 0, -1, -1, 0) >= 0)
""",
    ),
    Probe(
        "kernel.userfaultfd", "stall the kernel at page faults (userfaultfd)",
        "tried('userfaultfd', lambda: call(323, 282, 1) >= 0)",
    ),
    Probe(
        "kernel.modules", "load a kernel module, replace the kernel",
        """
def privileged(*arguments):
    try:
        call(*arguments)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.ENOSYS):
            raise
        return error.strerror
tried("init_module", lambda: privileged(175, 105, None, 0, b""))
tried("finit_module", lambda: privileged(313, 273, -1, b"", 0))
""",
    ),
    Probe(
        "kernel.clock", "set the host's clock (to what it is)",
        """
def clock():
    now = time.clock_gettime(0)
    time.clock_settime(0, now)
    return True
tried("clock_settime", clock)
""",
        # Where it would succeed it moves the clock by some microseconds.
    ),
    Probe(
        "kernel.terminal", "type into the harness's terminal (TIOCSTI, TIOCLINUX, /dev/tty)",
        """
import fcntl, pty
master, slave = pty.openpty()
tried("TIOCSTI", lambda: fcntl.ioctl(slave, 0x5412, b"x") == 0)
tried("TIOCLINUX", lambda: fcntl.ioctl(slave, 0x541C, b"x") == 0)
tried("/dev/tty", lambda: os.open("/dev/tty", os.O_RDWR))
tried("descriptors", lambda: [n for n in (0, 1, 2) if os.isatty(n)] or None)
""",
    ),
)  # fmt: skip
