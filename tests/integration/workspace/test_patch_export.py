"""A layer as a patch: applied to a fresh base it gives the same tree, and says what it cannot give."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import pytest
from boxes import sandbox_python
from desks import Desk, boxed, desk_on
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.sandbox.bubblewrap import BubblewrapSandbox
from harness.sandbox.interface import Mounts
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry
from harness.workspace.patch import export_patch

pytestmark = pytest.mark.needs_bwrap

#: What an applying git must be told, too, where a tree brings attributes: that files are bytes.
APPLY = (
    "mkdir -p .git/info; echo '* -text -eol -ident -filter -working-tree-encoding -crlf' > .git/info/attributes; "
    "git apply --whitespace=nowarn /run/patch"
)


def exported(desk: Desk, base: Base, site: Path, layer: Layer | None = None) -> tuple[bytes, dict[str, str]]:
    """The desk's layer as a patch, and what is not in it."""
    out = io.BytesIO()
    sandbox = BubblewrapSandbox(sandbox_python(), site)
    left_out = export_patch(layer or desk.layer(), base, desk.contents.__getitem__, sandbox, out)
    return out.getvalue(), left_out


def tree(layer: Layer, base: Base) -> dict[str, Entry]:
    """The tree that a layer shows, without .git."""
    shown = dict(base.manifest)
    for path, entry in layer.manifest.items():
        if entry.kind != "directory":
            for below in [one for one in shown if one.startswith(f"{path}/")]:
                del shown[below]
        shown[path] = entry
    return {p: e for p, e in shown.items() if p.split("/")[0] != ".git" and e.kind != "whiteout"}


def differences(desk: Desk, base: Base, site: Path) -> tuple[set[str], dict[str, str], bytes]:
    """Paths that differ after the patch was applied to a fresh base; what it left out; the patch."""
    wanted = tree(desk.layer(), base)
    patch, left_out = exported(desk, base, site)
    with desk_on(base, site) as fresh:
        file = site / "patch"
        file.write_bytes(patch)
        mounts = fresh.workspace.mounts
        box = boxed(Mounts(mounts.lowers, mounts.upper, mounts.work, read_only={"/run/patch": file}), site)
        if patch:
            box.text(APPLY)
        found = tree(fresh.layer(), base)
    return {path for path in wanted.keys() | found.keys() if wanted.get(path) != found.get(path)}, left_out, patch


def covered(path: str, left_out: dict[str, str]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in left_out)


#: One of each: what plain `git diff`, text pipes and `git add -A` have lost elsewhere.
EXACT = {
    "new": "mkdir deep; echo new > deep/new",
    "binary": r"printf '\0\1\2\377' > new.bin; printf 'x\0y' >> binary",
    "executable": "chmod +x pkg/core.py",
    "not executable": "chmod -x run.sh",
    "link": "ln -s pkg/core.py here; ln -sfn elsewhere dangling",
    "link to file": "rm link; echo file > link",
    "file to link": "rm unended; ln -s crlf.txt unended",
    "file to folder": "rm unended; mkdir unended; echo x > unended/x",
    "folder to file": "rm -r pkg/sub; echo file > pkg/sub",
    "names": r"""echo x > 'näme 日本'; echo x > $'new\nline\ttab'; echo x > $'quo"te\\'; echo x > $'latin\xe9'
echo x > ' a b '; mkdir 'x b'; echo x > 'x b/x b'; echo x > -- -rf; for f in odd/*; do echo more >> "$f"; done""",
    "crlf": r"printf 'zero\r\none\r\ntwo\r\n' > crlf.txt; printf 'a\r\nb\rc\n' > mixed",
    "no end": r"printf 'still none' >> unended; printf x > added",
    "ends": r"printf '\n' >> unended",
    "empty": "rm empty; : > empty2",
    "deleted": "rm -r pkg; rm binary crlf.txt absolute",
    "ignored": "mkdir build; echo x > build/out.log; echo y >> kept.log; echo 'build/' >> .gitignore; echo x > x\n"
    "echo x >> .git/info/exclude",
    "attributes": r"""printf '*.py -diff\n* text=auto eol=crlf ident\n* filter=f diff=d\n' > .gitattributes
printf '*.u working-tree-encoding=UTF-16\n' >> .gitattributes; printf '$Id$\r\n' > id.py; echo plain > x.u
git config filter.f.clean 'touch /tmp/ran; cat'; git config diff.d.textconv rev""",
    "commit": "echo x >> pkg/core.py; echo y > y; git add -A; git commit -qm done",
    "no git": "echo x >> pkg/core.py; rm -rf .git",
    "rebase": "git checkout -q --orphan other; git commit -qm other; echo x >> pkg/core.py",
    "assumed": "git update-index --assume-unchanged pkg/core.py; echo x >> pkg/core.py; : > .git/index.lock",
    "settings": "git config diff.noprefix true; git config core.autocrlf input; git config diff.external rev; rm link",
    "gitlink": "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; mkdir sub; echo x > sub/x",
    "big": "seq 200000 > long.txt; head -c 3000000 /dev/urandom > noise",
    "renamed": "git mv pkg/core.py pkg/kernel.py; mv odd even",
    "modules": "printf '[submodule \"s\"]\npath = s\nurl = s\nignore = all\n' > .gitmodules; mkdir s; echo x > s/x",
}  # fmt: skip


@pytest.mark.parametrize("command", EXACT.values(), ids=EXACT)
def test_the_tree_comes_back_to_the_byte(desk: Desk, base: Base, site: Path, command: str) -> None:
    desk.sh(command)
    differing, left_out, patch = differences(desk, base, site)
    assert (differing, left_out) == (set(), {})
    assert patch.startswith(b"diff --git ")
    # Whatever the bytes of names are, the patch names them in ASCII.
    assert all(line.isascii() for line in patch.split(b"\n") if line.startswith((b"diff --git", b"--- ", b"+++ ")))


@pytest.mark.parametrize(
    ("command", "left_out"),
    [
        ("mkdir -p void/within", {"void": "an empty folder", "void/within": "an empty folder"}),
        ("rm odd/*", {"odd": "an empty folder"}),
        ("mkfifo pipe; rm empty; mkfifo empty", {"pipe": "a special file (fifo)", "empty": "a special file (fifo)"}),
        ("chmod 600 unended", {"unended": "mode 0600"}),
        ("echo x > own; chmod 4755 own", {"own": "mode 4755"}),
        ("chmod 700 pkg", {"pkg": "mode 0700"}),
        ("mkdir -m 700 own; echo x > own/x", {"own": "mode 0700"}),
        ("mkdir in; cd in; git init -q; echo x > x", {"in/.git": "a git repository's own files"}),
        ("mkdir in; echo 'gitdir: /x' > in/.git; mkdir .GIT; echo x > .GIT/x; echo x > in/x",
         {"in/.git": "a git repository's own files", ".GIT": "a git repository's own files"}),
        ("ln -s x .gitmodules", {".gitmodules": "a link that git refuses"}),
    ],
)  # fmt: skip
def test_what_a_patch_cannot_hold_is_named(
    desk: Desk, base: Base, site: Path, command: str, left_out: dict[str, str]
) -> None:
    desk.sh(f"{command}; cd /testbed; echo more >> run.sh")
    differing, said, patch = differences(desk, base, site)
    assert said == left_out
    assert all(covered(path, said) for path in differing)
    assert b"+more" in patch


def test_a_nested_repository_gives_its_files(desk: Desk, base: Base, site: Path) -> None:
    desk.sh("""mkdir in && cd in && git init -q && echo one > one && git add one && git commit -qm one
echo two > two; git config core.fsmonitor 'touch /tmp/ran'; git -C /testbed config submodule.in.ignore all""")
    differing, left_out, patch = differences(desk, base, site)
    assert left_out == {"in/.git": "a git repository's own files"}
    assert all(path.startswith("in/.git") for path in differing)
    assert b"+++ b/in/one\n" in patch
    assert b"+++ b/in/two\n" in patch
    assert b"160000" not in patch


def test_no_change_is_an_empty_patch(desk: Desk, base: Base, site: Path) -> None:
    desk.sh("git status; echo x > .git/x; git commit -q --allow-empty -m x")
    assert exported(desk, base, site) == (b"", {})


def test_the_same_layer_gives_the_same_patch(
    desk: Desk, base: Base, site: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    desk.sh("echo x >> pkg/core.py; head -c 3000 binary binary > more; git mv run.sh walk.sh")
    first = exported(desk, base, site)
    config = tmp_path / "config"
    config.write_text("[diff]\n noprefix = true\n renames = copies\n[core]\n abbrev = 4\n quotePath = false\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=0")
    assert exported(desk, base, site) == first
    lines = [line for line in first[0].split(b"\n") if line.startswith(b"index ")]
    assert lines
    assert all(len(line.split()[1]) == 82 for line in lines)  # two whole object ids


@pytest.mark.parametrize("path", ["a/../../b", "/etc/passwd", "../b"])
def test_a_path_that_leaves_the_workspace_is_refused(desk: Desk, base: Base, site: Path, path: str) -> None:
    desk.contents["0" * 64] = b"x"
    with pytest.raises(InputError, match="unsafe path"):
        exported(desk, base, site, Layer({path: Entry("file", 0o644, "0" * 64, 1)}))


PATHS = (
    "pkg", "pkg/core.py", "pkg/sub", "pkg/sub/deep/x", "unended", "link", "odd", "odd/latin\udce9", "odd/new\nline",
    "new", "new/deep", "new/deep/file", "pkg/core.py/below", "x b/y b", "näme", ".gitattributes", ".gitignore",
)  # fmt: skip
path = st.sampled_from(PATHS).map(shlex.quote)
words = st.sampled_from(("a", "b\\n", "x\\ny\\r\\n", "", "\\0\\1\\n", "\\377", "* text eol=crlf\\n", "*\\n", "\\r"))
operations = st.one_of(
    st.builds("mkdir -p \"$(dirname -- {1})\"; printf '{0}' > {1}".format, words, path),
    st.builds("printf '{}' >> {}".format, words, path),
    st.builds("rm -rf -- {}".format, path),
    st.builds("mkdir -p {}".format, path),
    st.builds("mv -T {} {}".format, path, path),
    st.builds("cp -a {} {}".format, path, path),
    st.builds("ln -sfnT {} {}".format, path, path),
    st.builds("chmod {} {}".format, st.sampled_from(("+x", "-x", "600", "755", "644", "700")), path),
    st.builds("mkfifo {}".format, path),
    st.builds("git init -q {}".format, path),
    st.sampled_from(("git add -A; git commit -qm x", "git stash -q -u", "git clean -fdxq", "rm -rf .git")),
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(commands=st.lists(operations, min_size=1, max_size=7))
@example(commands=["rm -rf pkg; ln -s odd pkg"])
@example(commands=["rm -rf pkg; ln -s odd pkg", "rm -rf link; mkdir -p link; printf x > link/x"])
@example(commands=["mv -T odd pkg/odd", "mkfifo odd"])
def test_a_patch_and_what_it_names_are_the_whole_change(base: Base, site: Path, commands: list[str]) -> None:
    with desk_on(base, site) as desk:
        desk.sh("{ " + "\n".join(commands) + "\n:; } >/dev/null 2>&1")
        differing, left_out, _ = differences(desk, base, site)
        assert {one for one in differing if not covered(one, left_out)} == set()


def test_paths_are_named_as_in_manifests(desk: Desk, base: Base, site: Path) -> None:
    desk.sh("mkdir $'caf\\xe9'")
    assert exported(desk, base, site)[1] == {"caf%E9": "an empty folder"}
