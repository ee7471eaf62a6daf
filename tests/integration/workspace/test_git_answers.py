"""What git says of layers, from their files alone: status, stat, lines, merges; in a sandbox, on a tiny base."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxes import sandbox_python
from desks import FILES, Desk, desk_on

from harness.canonical import digest_bytes
from harness.recovery.apply import Summary
from harness.recovery.counting import changed_lines
from harness.recovery.merging import Triple, merge_files
from harness.recovery.summary import LINES_MAX, summarise
from harness.sandbox.bubblewrap import BubblewrapSandbox
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry

pytestmark = pytest.mark.needs_bwrap

EDIT = (
    "sed -i s/41/42/ pkg/core.py; echo more >> pkg/core.py; rm pkg/sub/z; mkdir notes; echo x > notes/a; "
    "echo y > b.log"
)


def summary(desk: Desk, base: Base, site: Path) -> Summary:
    return summarise(desk.layer(), base, desk.contents.__getitem__, BubblewrapSandbox(sandbox_python(), site))


def test_a_summary_says_what_git_would(desk: Desk, base: Base, site: Path) -> None:
    desk.sh(EDIT)
    found = summary(desk, base, site)
    assert found.status == " M pkg/core.py\n D pkg/sub/z\n?? b.log\n?? notes/a\n"
    assert [line.split("|")[0].strip() for line in found.stat.splitlines()[:-1]] == ["pkg/core.py", "pkg/sub/z"]
    assert found.stat.splitlines()[-1] == " 2 files changed, 2 insertions(+), 2 deletions(-)"


def test_equal_files_have_equal_summaries_whatever_git_was_told(desk: Desk, base: Base, site: Path) -> None:
    desk.sh(EDIT)
    with desk_on(base, site) as other:
        other.sh("git init -q .; git config core.fsmonitor 'touch /tmp/ran #'; printf '*\\n' > .git/info/exclude")
        other.sh(f"{EDIT}; git add -A; rm -rf .git/refs")
        assert summary(other, base, site) == summary(desk, base, site)


def test_an_untouched_workspace_and_one_of_many_files(desk: Desk, base: Base, site: Path) -> None:
    assert summary(desk, base, site) == Summary("", "")
    desk.sh("for n in $(seq 1000 1300); do echo x > new$n; done")
    lines = summary(desk, base, site).status.splitlines()
    assert len(lines) == LINES_MAX + 1
    assert (lines[0], lines[-1]) == ("?? new1000", "?? new1300")
    assert "lines left out" in lines[-2]


def test_lines_are_counted_per_layer(base: Base, site: Path) -> None:
    new = b"a\nb\nc\n"
    core = FILES["pkg/core.py"].replace(b"41", b"42")
    contents = {digest_bytes(data): data for data in (new, core, b"\0x\0")}
    layers = {
        "add": Layer({"pkg/new.py": Entry("file", 0o644, digest_bytes(new), len(new))}),
        "edit": Layer({"pkg/core.py": Entry("file", 0o644, digest_bytes(core), len(core))}),
        "delete": Layer({"pkg/core.py": Entry("whiteout")}),
        "binary": Layer({"pkg/new.py": Entry("file", 0o644, digest_bytes(b"\0x\0"), 3)}),
    }  # fmt: skip
    counted = changed_lines(layers, base, contents.__getitem__, BubblewrapSandbox(sandbox_python(), site))
    assert counted == {"add": 3, "edit": 2, "delete": 2, "binary": 0}


def test_contents_merge_line_by_line_or_not_at_all(base: Base, site: Path) -> None:
    text = b"".join(b"line %d\n" % n for n in range(20))
    top, end = text.replace(b"line 1\n", b"top\n"), text.replace(b"line 18\n", b"end\n")
    other, odd = text.replace(b"line 1\n", b"other\n"), b"-- not\0text\n"
    sides = {digest_bytes(data): data for data in (text, top, end, other, odd)}

    def triple(left: bytes, right: bytes) -> Triple:
        return Triple(*(digest_bytes(data) for data in (text, left, right)))

    asked = [triple(top, end), triple(end, top), triple(top, other), triple(odd, top)]
    made = merge_files(asked, sides.__getitem__, base, BubblewrapSandbox(sandbox_python(), site))
    both = top.replace(b"line 18\n", b"end\n")
    assert made == {asked[0]: both, asked[1]: both}
    assert merge_files([], sides.__getitem__, base, BubblewrapSandbox(sandbox_python(), site)) == {}
