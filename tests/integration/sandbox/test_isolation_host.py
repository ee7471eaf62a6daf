"""A sandbox shows no file, process or variable of the host, and writes only where it should."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from boxes import Box, make_box, sandbox_python

pytestmark = pytest.mark.needs_bwrap


@pytest.fixture
def neighbour() -> Iterator[str]:
    """A process of this machine; its command line and environment hold the string."""
    marker = f"neighbour-{secrets.token_hex(8)}"
    process = subprocess.Popen([sys.executable, "-c", "input()", marker], stdin=subprocess.PIPE, env={"KEY": marker})
    yield marker
    process.kill()
    process.communicate()


def test_the_root_holds_system_programs_and_nothing_of_the_host(shared_box: Box, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    prefix = sandbox_python().prefix
    top = set(shared_box.text("ls -A /").split())
    allowed = {
        "bin",
        "sbin",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "usr",
        "etc",
        "opt",
        "proc",
        "dev",
        "tmp",
        "home",
        "testbed",
    }
    assert top <= allowed | {prefix.parts[1], "run"}
    assert shared_box.text("ls -A /home /home/agent /tmp /opt /testbed").split() == [
        "/home:", "agent", "/home/agent:", "/opt:", "bin", "/testbed:", "given", "/tmp:",
    ]  # fmt: skip
    assert set(shared_box.text("ls -A /etc").split()) <= {
        "passwd", "group", "nsswitch.conf", "hosts", "hostname", "gitconfig", "ld.so.cache", "alternatives",
        "localtime",
    }  # fmt: skip
    assert len(shared_box.text("cat /etc/passwd").splitlines()) == 2
    for path in (
        tmp_path / "secret",
        Path.home(),
        Path(__file__),
        Path.cwd(),
        Path("/var"),
        Path("/sys"),
        Path("/boot"),
    ):
        if prefix != path and path not in prefix.parents:
            assert shared_box.run(f"test -e '{path}'").returncode == 1, path


def test_no_package_of_the_hosts_python_is_importable(shared_box: Box) -> None:
    code = """
import importlib.util, site, sys
names = ("pydantic", "minisweagent", "sqlalchemy", "harness", "pip", "pytest")
print([name for name in names if importlib.util.find_spec(name)])
print("%d.%d.%d" % sys.version_info[:3])
"""
    found, version = shared_box.python(code).splitlines()
    assert found == "[]"
    assert version == sandbox_python().full_version


def test_no_process_of_the_host_is_seen(shared_box: Box, neighbour: str) -> None:
    seen = shared_box.text(
        "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' ' '; ls -d /proc/[0-9]* | wc -l"
    )
    assert neighbour not in seen
    assert int(seen.split()[-1]) < 10


def test_no_variable_of_the_host_is_seen(box_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    value = secrets.token_hex(8)
    monkeypatch.setenv("OPENAI_API_KEY", value)
    monkeypatch.setenv("PYTHONPATH", f"/{value}")
    box = make_box(box_folder)
    assert value not in box.text("env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'")
    assert {line.split("=")[0] for line in box.text("env").splitlines()} == {
        "PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR", "PWD", "SHLVL", "_",
    }  # fmt: skip


def test_the_first_process_says_nothing(shared_box: Box) -> None:
    assert shared_box.text("ls -A /proc/1; ls -d /proc/1") == "/proc/1\n"


def test_only_workspace_tmp_and_home_can_be_written(box: Box) -> None:
    code = """
import os
writable = set()
for top in sorted(os.listdir("/")):
    for folder, names, _ in os.walk(f"/{top}"):
        if folder.startswith("/proc") or folder.count("/") > 4:
            names.clear()
            continue
        try:
            os.close(os.open(f"{folder}/probe-of-writing", os.O_WRONLY | os.O_CREAT))
            os.unlink(f"{folder}/probe-of-writing")
            writable.add(folder)
        except OSError:
            pass
try:
    open("/probe-of-writing", "w")
    writable.add("/")
except OSError:
    pass
print(*sorted(writable))
"""
    assert box.python(code).split() == ["/dev/shm", "/home/agent", "/testbed", "/tmp"]


def test_system_files_and_kernel_settings_cannot_be_opened_for_writing(shared_box: Box) -> None:
    """Opened only: nothing is written."""
    code = """
import os
opened, tried = [], 0
paths = ["/etc/passwd", "/usr/bin/env", "/opt/bin/python3", "/proc/sysrq-trigger", "/proc/kcore"]
for folder, _, names in os.walk("/proc/sys"):
    # Some are the sandbox's own, by its namespaces of IPC (queues, shared memory, semaphores) and of pids.
    own = ("shm", "msg", "sem", "auto_msgmni", "ns_last_pid", "pid_max")
    paths += [f"{folder}/{name}" for name in names if "mqueue" not in folder and not name.startswith(own)]
for path in paths:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        opened.append(path)
    except OSError:
        tried += 1
print(opened, tried > 200)
"""
    assert shared_box.python(code).strip() == "[] True"


def test_kept_folders_last_over_commands_and_the_rest_does_not(box: Box) -> None:
    box.text("echo w > w; echo t > /tmp/t; echo h > ~/h; echo s > /dev/shm/s")
    assert box.text("cat w /tmp/t ~/h").split() == ["w", "t", "h"]
    assert box.run("test -e /dev/shm/s").returncode == 1
    assert (box.mounts.upper / "w").read_text() == "w\n"  # type: ignore[operator]
    assert list(box.mounts.lowers[0].iterdir()) == []


def test_files_in_the_layer_do_not_depend_on_the_hosts_umask(box_folder: Path) -> None:
    before = os.umask(0o077)
    try:
        box_folder.mkdir(mode=0o755, parents=True)
        os.umask(0o022)
        box = make_box(box_folder)
        os.umask(0o077)
        assert box.text("umask; touch file; mkdir folder; stat -c %a file folder").split() == ["0022", "644", "755"]
    finally:
        os.umask(before)


def test_tools_of_a_developer_work(shared_box: Box) -> None:
    assert (
        shared_box.text(
            "cd /tmp && rm -rf r && git init -q r && cd r && echo 1 > f && git add f && git commit -qm c && "
            "git log --format=%an"
        ).strip()
        == "agent"
    )
    assert shared_box.text("whoami; id -u; hostname").split() == ["agent", "1000", "sandbox"]
    assert shared_box.text(
        "seq 5 | awk '{s += $1} END {print s}' | sed s/15/fifteen/; diff <(echo a) <(echo a) && echo same"
    ).split() == ["fifteen", "same"]
    assert (
        shared_box.text("python3 -c 'import ssl, sqlite3, zlib, ctypes, json; print(json.dumps(6 * 7))'").strip()
        == "42"
    )
