"""Telling a process apart from any later one with the same pid (Linux, from /proc)."""

from __future__ import annotations

from pathlib import Path


def boot_id() -> str:
    """The kernel's boot id; another one means a reboot."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def start_ticks(pid: int) -> int | None:
    """Start time of a process in clock ticks after boot (field 22 of its stat); None when there is none, or only a
    zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field, the command's name in parentheses, may hold spaces and parentheses.
    fields = stat[stat.rindex(b")") + 2 :].split()
    return None if fields[0] in (b"Z", b"X") else int(fields[19])
