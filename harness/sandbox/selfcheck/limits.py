"""Probes of limits: floods. One held by a watchdog counts as held while the overshoot stays below twice the limit.

Every flood ends by itself a little above twice its limit, so that a sandbox that holds nothing does no harm.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from harness.sandbox.interface import Limits, Result
from harness.sandbox.selfcheck.probe import Finding, Judge, Probe
from harness.sandbox.selfcheck.scene import Scene

_MB = 1 << 20
FLOODED = Limits(
    seconds=30.0, memory_bytes=384 * _MB, processes=64, disk_bytes=384 * _MB, inodes=20_000, output_bytes=_MB
)


def _by_count(limit: float, unit: str, divisor: int = 1) -> Judge:
    """Judges by the highest count that the script printed after the nonce; it is what the flood had at once."""

    def judge(scene: Scene, result: Result) -> Finding:
        words = [line.split() for line in result.output.decode(errors="replace").splitlines()]
        counts = [int(line[2]) for line in words if len(line) > 2 and line[:2] == [scene.nonce, "count"]]
        if not counts:
            return Finding("undecided", f"the flood did not begin (exit {result.returncode})")
        return _held(max(counts), limit, unit, divisor, result)

    return judge


def _held(most: float, limit: float, unit: str, divisor: int, result: Result) -> Finding:
    said = f"{most / divisor:.0f} of {limit / divisor:.0f} {unit}"
    said += f", ended by {result.limit}" if result.limit else ""
    return Finding("refused" if most < 2 * limit else "got through", said)


def _on_disk(count: Callable[[os.stat_result], int], limit: int, unit: str, divisor: int) -> Judge:
    """Judges by what lies in the sandbox's folders on the host afterwards."""

    def judge(scene: Scene, result: Result) -> Finding:
        total = 0
        for folder in scene.written:
            for top, names, files in os.walk(folder):
                total += sum(count(os.lstat(os.path.join(top, name))) for name in (*names, *files))
        if scene.nonce.encode() not in result.output:
            return Finding("undecided", f"the flood did not begin (exit {result.returncode})")
        return _held(total, limit, unit, divisor, result)

    return judge


def _output(scene: Scene, result: Result) -> Finding:
    cap, kept = FLOODED.output_bytes, len(result.output)
    if kept >= 2 * cap:
        return Finding("got through", f"{kept / _MB:.1f} MB of output kept, {cap / _MB:.0f} allowed")
    if not result.truncated_bytes:
        return Finding("undecided" if result.returncode else "got through", "output was dropped without a mark")
    return Finding("refused", f"{kept / _MB:.1f} MB kept, {result.truncated_bytes / _MB:.0f} MB dropped and marked")


_HOLD = """
chunk, held = 4 << 20, []
say("count", 0)
while len(held) * chunk < V["most"]:
    held.append(bytearray(b"x") * chunk)
    if len(held) % 8 == 0:
        say("count", len(held) * chunk)
time.sleep(0.5)
say("count", len(held) * chunk)
"""

PROBES = (
    Probe(
        "limits.processes", "start processes without end",
        f"""
count = 0
try:
    for _ in range({2 * FLOODED.processes + 40}):
        if os.fork() == 0:
            time.sleep(3)
            os._exit(0)
        count += 1
except OSError:
    pass
say("count", count)
os.kill(0, signal.SIGKILL)
""",
        judge=_by_count(FLOODED.processes, "processes"), limits=FLOODED,
    ),
    Probe(
        "limits.memory", "take memory without end in one process",
        _HOLD.replace('V["most"]', str(2 * FLOODED.memory_bytes + 64 * _MB)),
        judge=_by_count(FLOODED.memory_bytes, "MB", _MB), limits=FLOODED,
    ),
    Probe(
        "limits.memory-of-many", "take memory without end in many processes that each stay small",
        f"""
import mmap
shared = mmap.mmap(-1, 4096)
for number in range(8):
    if os.fork() == 0:
        held = []
        while len(held) < {(2 * FLOODED.memory_bytes + 64 * _MB) // 8 // (4 * _MB)}:
            held.append(bytearray(b"x") * (4 << 20))
            struct.pack_into("I", shared, 4 * number, len(held))
        time.sleep(2)
        os._exit(0)
for _ in range(40):
    time.sleep(0.05)
    say("count", sum(struct.unpack_from("8I", shared)) * (4 << 20))
""",
        judge=_by_count(FLOODED.memory_bytes, "MB", _MB), limits=FLOODED,
    ),
    Probe(
        "limits.memory-as-files", "take memory as files in /dev/shm and in memory files",
        f"""
total, block = 0, bytes(1 << 20)
ends = []
def fill(end):
    global total
    for _ in range(128):
        if total < {2 * FLOODED.memory_bytes + 32 * _MB}:
            total += os.write(end, block)
say("count", 0)
for number in range(8):
    for make in (lambda: os.open("/dev/shm/f%d" % number, os.O_WRONLY | os.O_CREAT), lambda: os.memfd_create("f")):
        try:
            ends.append(make())
            fill(ends[-1])
        except OSError:
            pass
        say("count", total)
""",
        judge=_by_count(FLOODED.memory_bytes, "MB", _MB), limits=FLOODED,
    ),
    Probe(
        "limits.disk", "fill the disk from the workspace, /tmp and home",
        f"""
say("count", 0)
block, written, number = bytes(1 << 20), 0, 0
places = [".", "/tmp", os.path.expanduser("~")]
while places and written < {2 * FLOODED.disk_bytes + 32 * _MB}:
    place = places[number % len(places)]
    number += 1
    try:
        end = os.open("%s/flood%d" % (place, number), os.O_WRONLY | os.O_CREAT)
        for _ in range(32):
            written += os.write(end, block)
        os.close(end)
    except OSError:
        places.remove(place)
time.sleep(1)
""",
        judge=_on_disk(lambda facts: facts.st_blocks * 512, FLOODED.disk_bytes, "MB", _MB), limits=FLOODED,
    ),
    Probe(
        "limits.inodes", "fill the disk's table of files",
        f"""
say("count", 0)
os.mkdir("many")
try:
    for number in range({2 * FLOODED.inodes + 500}):
        os.close(os.open("many/%d" % number, os.O_WRONLY | os.O_CREAT))
except OSError:
    pass
time.sleep(1)
""",
        judge=_on_disk(lambda facts: 1, FLOODED.inodes, "files", 1), limits=FLOODED,
    ),
    Probe(
        "limits.output", "print without end",
        f"""
block = b"x" * (1 << 16)
for _ in range({40 * _MB >> 16}):
    os.write(1, block)
""",
        judge=_output, limits=FLOODED,
    ),
    Probe(
        "limits.raise", "raise its own limits",
        """
import resource
for name in ("NOFILE", "NPROC", "FSIZE", "AS", "CORE"):
    kind = getattr(resource, "RLIMIT_" + name)
    hard = resource.getrlimit(kind)[1]
    def more():
        if hard == resource.RLIM_INFINITY:
            return "unlimited" if name == "FSIZE" else None
        try:
            resource.setrlimit(kind, (hard + 1, hard + 1))
        except ValueError as error:
            raise OSError(0, str(error))
        return True
    tried(name, more)
""",
    ),
)  # fmt: skip
