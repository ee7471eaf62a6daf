"""Known failures of other harnesses around patches, git and files, each under its id."""

from __future__ import annotations

import hashlib
import signal

import pytest
from chat_server import SUBMIT, ChatServer, bash
from recorded import applied, collected, layer_after, patch_of, printed
from tiny_lab import TinyLab
from trying import RIGHT, Trier

from harness.recorder import decode_output
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry, encode_name

pytestmark = pytest.mark.needs_bwrap

#: The repair without git, in place.
MEND = "sed -i 's/return n + 2/return 2 * n/' tinypkg/core.py"

EVERYTHING = rf"""
{MEND}
echo new > tinypkg/new.py
printf '\0\1\2' > data.bin
chmod +x README
ln -s tinypkg/core.py link; ln -s /etc/passwd outside; ln -s nowhere dangling
echo x > 'näme 日本.txt'; echo x > $'tab\tnew\nline "quoted" \\'; echo x > $'latin\xe9'
mkdir -p 'a b/b'; echo x > 'a b/b/c b'
printf 'one\r\ntwo\r\n' > crlf.txt
printf 'no end' > unended
: > empty
printf '#!/bin/sh\n' > run.sh; chmod 755 run.sh
rm tinypkg/tests/test_core.py
"""


def content(layer: Layer) -> dict[str, Entry]:
    return {path: entry for path, entry in layer.candidate.manifest.items() if entry.kind != "directory"}


def test_t37_one_snapshot_of_everything_comes_back_to_the_byte(in_lab: TinyLab, server: ChatServer) -> None:
    found = collected(in_lab, server, bash("ls"), bash(EVERYTHING))
    done = printed(in_lab, "show", found, "--patch")
    # The folder stays without its only file, as no patch can say.
    assert (done.returncode, done.stderr.decode()) == (0, "not in the patch: tinypkg/tests: an empty folder\n")
    came_back = content(applied(done.stdout))
    expected = {
        "README": (0o755, b"A tiny package.\n"), "tinypkg/new.py": (0o644, b"new\n"), "data.bin": (0o644, b"\0\1\2"),
        "näme 日本.txt": (0o644, b"x\n"), 'tab\tnew\nline "quoted" \\': (0o644, b"x\n"), "latin\udce9": (0o644, b"x\n"),
        "a b/b/c b": (0o644, b"x\n"), "crlf.txt": (0o644, b"one\r\ntwo\r\n"), "unended": (0o644, b"no end"),
        "empty": (0o644, b""), "run.sh": (0o755, b"#!/bin/sh\n"),
    }  # fmt: skip
    for name, (mode, data) in expected.items():
        entry = came_back.pop(encode_name(name))
        assert (entry.kind, entry.mode, entry.sha256) == ("file", mode, hashlib.sha256(data).hexdigest()), name
    links = {path: entry.target for path, entry in came_back.items() if entry.kind == "symlink"}
    assert links == {"link": "tinypkg/core.py", "outside": "/etc/passwd", "dangling": "nowhere"}
    assert came_back.keys() - links == {"tinypkg/core.py", "tinypkg/tests"}
    assert came_back["tinypkg/tests"].kind == "whiteout"
    # The state after an earlier call, which changed nothing; and calls that were not made.
    assert printed(in_lab, "show", found, "--patch", "--call", "1").stdout == b""
    assert printed(in_lab, "show", found, "--patch", "--call", "2").stdout == done.stdout
    for wrong in (("--patch", "--call", "3"), ("--patch", "--call", "0"), ("--call", "1")):
        refused = printed(in_lab, "show", found, *wrong)
        assert (refused.returncode, refused.stdout) == (2, b""), wrong
        assert b"--call" in refused.stderr


def test_t39_carriage_returns_stay(attempt: Trier) -> None:
    tried = attempt(
        bash("sed -i 's/$/\\r/' tinypkg/core.py; printf 'a\\rb\\r\\nc' > mixed"),
        bash(MEND.replace("n + 2", r"n + 2\r").replace("2 * n", r"2 * n\r")),
        after_pass="continue", horizon=2,
    )  # fmt: skip
    assert [state for *_, state in tried.verdicts] == ["fail", "pass"]
    layer = layer_after(tried)
    patch, left_out = patch_of(layer)
    assert b"+    return 2 * n\r\n" in patch
    assert left_out == {}
    assert applied(patch).manifest == layer.candidate.manifest


def test_t39_a_command_with_carriage_returns_is_the_one_that_runs(attempt: Trier) -> None:
    tried = attempt(bash("printf x\r\nprintf 'y\r\n'\r\n"), bash(RIGHT))
    line = tried.of("action")[0]
    assert line["command"] == "printf x\r\nprintf 'y\r\n'\r\n"
    assert decode_output(line) == b"x\ry\r\n\r"


def test_t40_new_files_are_captured_and_nothing_is_staged(attempt: Trier) -> None:
    look = "sha256sum .git/index .git/HEAD; git status --porcelain; git diff --cached --stat; find .git | wc -l"
    tried = attempt(
        bash("echo new > new.py; mkdir sub; echo deep > sub/deep", look),
        bash(look), bash("git add new.py", look), bash(look), bash(MEND),
    )  # fmt: skip
    said = [decode_output(line) for line in tried.of("action")]
    assert b"?? new.py\n?? sub/\n" in said[1]
    assert said[1] == said[2]
    assert said[4] == said[5] != said[1]
    layers = [content(layer_after(tried, number)) for number in range(6)]
    assert all(one.keys() == {"new.py", "sub/deep"} for one in layers)
    patch, _ = patch_of(layer_after(tried))
    assert content(applied(patch)).keys() == {"new.py", "sub/deep", "tinypkg/core.py"}


@pytest.mark.parametrize("ignoring", ["", "git config -f .gitmodules submodule.tinypkg.ignore all; "])
def test_t41_changes_in_a_nested_repository_are_seen_and_judged(attempt: Trier, ignoring: str) -> None:
    nest = f"{ignoring}cd tinypkg && git init -q && git add -A && git commit -qm nested"
    hide = "git rm -rq --cached tinypkg; git add tinypkg; git config submodule.tinypkg.ignore all; git commit -qm link"
    tried = attempt(bash(nest), bash(hide), bash(MEND))
    assert [state for *_, state in tried.verdicts] == ["fail", "fail", "pass"]
    layer = layer_after(tried)
    patch, left_out = patch_of(layer)
    assert left_out == {"tinypkg/.git": "a git repository's own files"}
    assert content(applied(patch)) == content(layer)
    assert b"+    return 2 * n\n" in patch
    assert b"Subproject" not in patch


def test_t41_a_nested_repositorys_settings_are_never_followed(attempt: Trier) -> None:
    trap = "git config core.fsmonitor 'echo ran > /tmp/ran; cat /nowhere'; git config core.hooksPath /tmp"
    tried = attempt(
        bash(f"{trap}; mkdir in; cd in; git init -q; {trap}; echo x > x"),
        bash("git config filter.f.clean 'echo ran > /tmp/ran; cat'; echo '* filter=f' > .gitattributes; rm /tmp/ran"),
        bash(MEND), bash("cat /tmp/ran"), after_pass="continue", horizon=4,
    )  # fmt: skip
    assert patch_of(layer_after(tried))[1] == {"in/.git": "a git repository's own files"}
    assert b"No such file" in decode_output(tried.of("action")[3])


def test_t42_ignored_files_and_empty_folders_are_part_of_the_state(attempt: Trier) -> None:
    ignore = "printf '*.log\\nbuild/\\n' > .gitignore; mkdir -p tinypkg/build void; echo x > x.log"
    impl = "echo 'double = lambda n: 2 * n' > tinypkg/build/impl.py; touch tinypkg/build/__init__.py"
    use = "echo 'from tinypkg.build.impl import double' >> tinypkg/core.py; git status --porcelain --ignored"
    tried = attempt(bash(ignore), bash(impl), bash(use))
    assert [state for *_, state in tried.verdicts] == ["fail", "fail", "pass"]
    layer = layer_after(tried)
    assert b"!! tinypkg/build/" in decode_output(tried.of("action")[2])
    assert {"x.log", "void", "tinypkg/build/impl.py"} <= layer.manifest.keys()
    # Each of them makes another state.
    assert len({one.layer_digest for one in tried.result.actions}) == 3
    patch, left_out = patch_of(layer)
    assert left_out == {"void": "an empty folder"}
    assert content(applied(patch)) == content(layer)


NAMES = (
    "näme", "日本/ b/c", "tab\there", 'quo"te', "new\nline", "latin\udce9", "b", " b", "a b", "back\\slash", "-rf",
    "100%25", "\x01",
)  # fmt: skip


@pytest.mark.parametrize("quoting", ["true", "false"])
def test_t43_every_name_comes_back(attempt: Trier, quoting: str) -> None:
    script = "\n".join(f"mkdir -p -- \"$(dirname -- {_quote(n)})\"; echo x > ./{_quote(n)}" for n in NAMES)
    tried = attempt(bash(f"git config core.quotePath {quoting}\n{script}\n{MEND}"))
    layer = layer_after(tried)
    patch, left_out = patch_of(layer)
    assert left_out == {}
    assert content(applied(patch)) == content(layer)
    assert content(layer).keys() == {"tinypkg/core.py", *map(encode_name, NAMES)}
    assert patch.isascii()


def _quote(name: str) -> str:
    return "$'" + "".join(f"\\x{byte:02x}" for byte in name.encode("utf-8", "surrogateescape")) + "'"


GIT = {
    "commit": "git commit -qam done",
    "two commits": "git commit -qam done; git commit -q --allow-empty -m more; git tag v1; git checkout -q -b other",
    "amend": "git commit -qa --amend -m other",
    "orphan": "git checkout -q --orphan other; git commit -qam root; git branch -D main",
    "detached": "git commit -qam done; git checkout -q --detach; git update-ref -d refs/heads/main",
    "rebase": "git commit -qam done; git -c sequence.editor=: rebase -q -i --root",
    "no repository": "rm -rf .git",
    "another repository": "rm -rf .git; git init -q; git add -A; git commit -qm other",
    "a damaged one": "echo broken > .git/HEAD; : > .git/index; touch .git/index.lock",
    "a file": "rm -rf .git; echo 'gitdir: /etc' > .git",
    "a link": "rm -rf .git; ln -s /etc .git",
    "excluded": "echo '*' > .git/info/exclude; git update-index --assume-unchanged tinypkg/core.py",
}


@pytest.mark.parametrize("command", GIT.values(), ids=GIT)
def test_t45_the_state_is_the_tree_whatever_git_says(attempt: Trier, command: str) -> None:
    tried = attempt(bash(f"{MEND}; echo new > new"), bash(command), after_pass="continue", horizon=2)
    assert tried.end == ("verified", 1, None)
    plain, after = layer_after(tried, 0), layer_after(tried, 1)
    assert after.verdict_key == plain.verdict_key
    assert tried.of("verdict")[1]["cached"]
    assert patch_of(after) == patch_of(plain)
    # And the other way round: git first, then the repair.
    tried = attempt(bash(command), bash(f"{MEND}; echo new > new"))
    assert tried.end == ("verified", 2, None)
    assert patch_of(layer_after(tried)) == patch_of(plain)


def test_t45_stashing_takes_the_state_back_and_popping_brings_it_again(attempt: Trier) -> None:
    steps = bash(MEND), bash("git stash -q && false"), bash("git stash pop -q"), bash("git checkout -q -- tinypkg")
    tried = attempt(*steps, after_pass="continue", horizon=4)
    assert [state for *_, state in tried.verdicts] == ["pass", "fail", "pass", "fail"]
    assert tried.of("action")[1]["returncode"] == 1


def test_t46_what_a_build_left_is_kept_and_changes_no_verdict(attempt: Trier) -> None:
    build = """
python3 -c 'import tinypkg, compileall; compileall.compile_dir("tinypkg", quiet=1)'
head -c 3000000 /dev/urandom > tool; chmod +x tool; printf 'REDIS0009\\xff' > dump.rdb
mkdir -p build/lib; cp tool build/lib/
"""
    tried = attempt(bash(build), bash(f"git add -A; {MEND}"), bash(SUBMIT), after_pass="continue", horizon=3)
    assert [state for *_, state in tried.verdicts] == ["fail", "pass", "pass"]
    layer = layer_after(tried)
    assert content(layer).keys() == {"tool", "dump.rdb", "build/lib/tool", "tinypkg/core.py"}
    patch, left_out = patch_of(layer)
    assert left_out == {}
    assert content(applied(patch)) == content(layer)
    assert b"__pycache__" not in patch


def test_t46_what_is_too_large_is_stopped_and_named(attempt: Trier) -> None:
    one = "head -c 200000000 /dev/zero > core && sleep 60"
    many = "for n in 1 2 3 4 5; do head -c 30000000 /dev/zero > core$n; done; sleep 60"
    tried = attempt(bash(one, many), bash("rm -f core*"), bash(MEND), limits={"disk_mb": 64})
    first, second = tried.of("action")[:2]
    # One file alone reaches the size that a file may have; the watchdog may be there first.
    assert first["returncode"] == 128 + signal.SIGXFSZ or first["limit"] == "disk"
    assert (second["returncode"], second["limit"]) == (-1, "disk")
    assert tried.end == ("verified", 3, None)
    assert content(layer_after(tried, 0))["core"].size <= 64 << 20
    assert content(layer_after(tried)).keys() == {"tinypkg/core.py"}
