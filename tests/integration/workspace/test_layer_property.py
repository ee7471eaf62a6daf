"""Whatever is done to a workspace, its layer shows the same tree again, and equal trees have equal layers."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from desks import SHOW, boxed, desk_on
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.sandbox.interface import Mounts
from harness.workspace.base import Base
from harness.workspace.workspace import CandidateMount

pytestmark = pytest.mark.needs_bwrap

#: Paths of the base, new ones, and ones below what may be a file or folder by then.
PATHS = (
    "pkg", "pkg/core.py", "pkg/sub", "pkg/sub/deep", "pkg/sub/deep/x", "pkg/sub/z", "unended", "link", "absolute",
    "odd", "odd/new\nline", "new", "new/deep", "new/deep/file", "pkg/sub/deep/new", "pkg/core.py/below", "100%25",
)  # fmt: skip
path = st.sampled_from(PATHS).map(shlex.quote)
mode = st.sampled_from(("644", "600", "755", "640"))
folder_mode = st.sampled_from(("755", "700", "750", "777"))  # readable, so that the tree can be shown
words = st.sampled_from(("a", "b", "x\\ny\\r\\n", "", "y\\n"))
operations = st.one_of(
    st.builds("printf '{}' > {}".format, words, path),
    st.builds("printf '{}' >> {}".format, words, path),
    st.builds("rm -rf {}".format, path),
    st.builds("mkdir -p {}".format, path),
    st.builds("rmdir {}".format, path),
    st.builds("mv -T {} {}".format, path, path),
    st.builds("mv {} {}".format, path, path),
    st.builds("cp -a {} {}".format, path, path),
    st.builds("ln {} {}".format, path, path),
    st.builds("ln -sfn {} {}".format, path, path),
    st.builds("[ -f {1} ] && chmod {0} {1}".format, mode, path),
    st.builds("chmod {} {}".format, folder_mode, path),
    st.builds("rm -rf {0}; mkdir -p {0}; printf opaque > {0}/z".format, path),
    st.builds("rm -rf {0}; printf file > {0}".format, path),
    st.just("git checkout -q -- pkg"),
    st.just("git stash -q -u; git stash pop -q"),
    st.just("git clean -fdxq"),
)


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(first=st.lists(operations, max_size=6), second=st.lists(operations, min_size=1, max_size=6))
@example(first=["rm -rf pkg"], second=["mkdir -p pkg/sub/deep"])  # overlayfs marks the topmost folder only
@example(first=["rm -rf pkg; mkdir -p pkg/sub"], second=["rm -rf pkg", "git checkout -q -- pkg"])
@example(first=["mv pkg/sub pkg2"], second=["mv pkg2 pkg/sub"])
def test_a_layer_is_the_tree_and_the_tree_is_the_layer(
    base: Base, site: Path, first: list[str], second: list[str]
) -> None:
    with desk_on(base, site) as desk:
        desk.sh("{ " + "\n".join(first) + "\n:; } >/dev/null 2>&1")
        desk.layer()  # what is remembered of it must not hide later changes
        wanted = desk.sh(
            "{ "
            + "\n".join(second)
            + f"\n:; }} >/dev/null 2>&1; tar cf /tmp/tree.tar --exclude=./.git . 2>/dev/null; {SHOW}"
        )
        layer = desk.layer()
        keep = layer.candidate.manifest

        # Over the base, as an evaluator mounts it.
        with CandidateMount(base, keep, desk.contents.__getitem__) as mounts:
            assert boxed(Mounts((base.tree, *mounts.lowers[1:])), site).text(SHOW) == wanted
            assert boxed(mounts, site).text(SHOW) == wanted

        # As the layer of another workspace, which is then read again.
        with desk_on(base, site, keep, desk.contents) as again:
            assert again.layer().manifest == keep
            assert again.sh(SHOW) == wanted

        # The same tree, come about in another way.
        archive = desk.workspace.mounts.tmp
        assert archive is not None
        with desk_on(base, site) as other:
            mounts = other.workspace.mounts
            box = boxed(Mounts(mounts.lowers, mounts.upper, mounts.work, read_only={"/run/tree": archive}), site)
            box.text("find . -mindepth 1 -maxdepth 1 -not -name .git -exec rm -rf {} + && tar xpf /run/tree/tree.tar")
            assert other.layer().verdict_key == layer.verdict_key
