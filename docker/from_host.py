"""Writes a root file system made of this Debian host's own packages to standard output, as a tar archive.

For machines that reach no image registry: ``python3 docker/from_host.py | docker import - restartlab/sandbox``. The
archive depends on the installed packages alone: names are sorted, owners and times fixed, set-uid bits dropped.
"""

from __future__ import annotations

import io
import os
import re
import stat
import subprocess
import sys
import tarfile

#: What the image offers; everything they depend on comes with them.
PACKAGES = (
    "bash base-files coreutils dash diffutils findutils git grep gzip hostname less libc-bin mawk patch perl-base "
    "procps python3 sed tar util-linux xz-utils"
).split()
#: Left out: nobody reads them in a sandbox, and some hold what this host is called or does.
LEFT_OUT = ("/usr/share/doc/", "/usr/share/man/", "/usr/share/locale/", "/usr/share/info/", "/var/")
FOLDERS = ("dev", "proc", "sys", "tmp", "run", "root", "home", "home/agent", "testbed", "etc", "var", "var/tmp")
ETC = {
    "passwd": "root:x:0:0::/root:/bin/bash\nagent:x:1000:1000::/home/agent:/bin/bash\n",
    "group": "root:x:0:\nagent:x:1000:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


def _installed() -> dict[str, list[str]]:
    """Dependencies of every installed package, alternatives flattened, by package and by what it provides."""
    form = "${Package}\t${Provides}\t${Pre-Depends}, ${Depends}\t${db:Status-Status}\n"
    said = subprocess.run(["dpkg-query", "-W", "-f", form], capture_output=True, text=True, check=True).stdout
    wanted: dict[str, list[str]] = {}
    for line in said.splitlines():
        name, provides, depends, state = line.split("\t")
        if state == "installed":
            names = [re.sub(r"[ (:].*", "", one.strip()) for one in re.split(r"[,|]", depends) if one.strip()]
            for offered in (name, *(re.sub(r"[ (:].*", "", one.strip()) for one in provides.split(",") if one.strip())):
                wanted.setdefault(offered, [name, *names])
    return wanted


def _closure() -> list[str]:
    wanted = _installed()
    missing = [name for name in PACKAGES if name not in wanted]
    if missing:
        sys.exit(f"from_host.py: not installed on this host: {', '.join(missing)} (apt-get install them)")
    found: set[str] = set()
    queue = list(PACKAGES)
    while queue:
        name = queue.pop()
        if name in wanted and name not in found:
            found.add(name)
            queue += wanted[name]
    return sorted(found)


def _files() -> list[str]:
    """Paths of all files and links of the packages, as they are on disk, sorted."""
    paths: set[str] = set()
    for package in _closure():
        done = subprocess.run(["dpkg-query", "-L", package], capture_output=True, text=True)
        paths |= {line for line in done.stdout.splitlines() if line.startswith("/")}
    paths |= {f"/etc/alternatives/{name}" for name in os.listdir("/etc/alternatives")}
    paths |= {f"/usr/bin/{name}" for name in ("awk", "pager") if os.path.islink(f"/usr/bin/{name}")}
    paths |= {"/etc/ld.so.cache"}
    return sorted(path for path in paths if not path.startswith(LEFT_OUT) and os.path.lexists(path))


def main() -> None:
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.GNU_FORMAT) as tar:

        def add(name: str, kind: bytes, mode: int = 0o755, data: bytes = b"", link: str = "") -> None:
            member = tarfile.TarInfo(name)
            member.type, member.mode, member.linkname, member.size = kind, mode, link, len(data)
            tar.addfile(member, io.BytesIO(data))

        done: set[str] = set()
        for top in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):  # a merged /usr keeps its links
            if os.path.islink(f"/{top}"):
                add(top, tarfile.SYMTYPE, 0o777, link=os.readlink(f"/{top}"))
                done.add(top)
        for name in FOLDERS:
            add(name, tarfile.DIRTYPE, 0o1777 if name.endswith("tmp") else 0o755)
            done.add(name)
        for path in _files():
            # A file listed below /bin is really below /usr/bin.
            name = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)).lstrip("/")
            facts = os.lstat(path)
            if not name or name in done or name.removeprefix("etc/") in ETC:
                continue
            done.add(name)
            if stat.S_ISLNK(facts.st_mode):
                add(name, tarfile.SYMTYPE, 0o777, link=os.readlink(path))
            elif stat.S_ISDIR(facts.st_mode):
                add(name, tarfile.DIRTYPE, stat.S_IMODE(facts.st_mode) & 0o1777)
            elif stat.S_ISREG(facts.st_mode) and os.access(path, os.R_OK):
                with open(path, "rb") as stream:
                    add(name, tarfile.REGTYPE, stat.S_IMODE(facts.st_mode) & 0o755, stream.read())
        for name, text in ETC.items():
            add(f"etc/{name}", tarfile.REGTYPE, 0o644, text.encode())


if __name__ == "__main__":
    main()
