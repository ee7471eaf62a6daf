"""Whatever an agent did to a workspace, /tmp and home: what is put back in a fresh one is what was captured."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from desks import SHOW, Desk, boxed, desk_on
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.canonical import canonical_json, digest_bytes
from harness.checkpoints.episode import Episode
from harness.errors import InputError
from harness.layer_store import LayerStore
from harness.protocol.recovery import RecoveryAction
from harness.store.blobs import Blobs
from harness.store.checkpoints import Checkpoint
from harness.workspace.base import Base
from harness.workspace.workspace import Workspace

pytestmark = pytest.mark.needs_bwrap

PATHS = (
    "pkg", "pkg/core.py", "pkg/sub", "pkg/sub/deep", "pkg/sub/z", "unended", "odd/new\nline", "new", "new/deep/file",
    "100%25", "$HOME/kept", "$HOME/.cache/deep/x", "/tmp/kept", "/tmp/deep/y",
)  # fmt: skip
path = st.sampled_from(PATHS).map(lambda name: f'"{name}"' if name.startswith("$") else shlex.quote(name))
inner = st.sampled_from([name for name in PATHS if name[0] not in "$/"]).map(shlex.quote)
operations = st.one_of(
    st.builds('mkdir -p "$(dirname {0})"; printf "{1}" > {0}'.format, path, st.sampled_from(("a", "b\\n", ""))),
    st.builds("rm -rf {}".format, path),
    st.builds("rm -rf {0}; mkdir -p {0}; printf opaque > {0}/z".format, path),
    st.builds("mv -T {} {}".format, path, path),
    st.builds("cp -a {} {}".format, path, path),
    st.builds("rm -rf {0}; ln -s core.py {0}".format, inner),
    st.builds("rm -rf {0}; mkfifo -m 640 {0}".format, path),
    st.builds("rm -rf {0}; mkdir -p {0}; chmod 1777 {0}".format, path),
    st.builds("[ -f {1} ] && chmod {0} {1}".format, st.sampled_from(("644", "600", "755", "000")), path),
    st.just("git stash -q -u; git stash pop -q"),
    st.just("git commit -q -a -m agent"),
)
EVERYWHERE = f"{SHOW}; cd /tmp && {SHOW}; cd && {SHOW}; cd /testbed && git log --oneline && git status --short"


def captured(desk: Desk) -> tuple[object, dict[str, object]]:
    def keep(data: bytes) -> None:
        desk.contents[digest_bytes(data)] = data

    return desk.workspace.snapshot(keep), dict(desk.workspace.scratch(keep))


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(done=st.lists(operations, max_size=8))
@example(done=["rm -rf pkg", "mkdir -p pkg/sub/deep", 'mkdir -p "$HOME/.cache/deep"; printf a > "$HOME/.cache/deep/x"'])
@example(done=["mkfifo pipe", "rm -f unended; ln -s pkg/core.py unended", "mkdir -p /tmp/deep; mkfifo /tmp/deep/y"])
def test_what_is_put_back_is_what_was_captured(base: Base, site: Path, done: list[str]) -> None:
    with desk_on(base, site) as desk:
        desk.sh("{ " + "\n".join(done) + "\n:; } >/dev/null 2>&1")
        layer, scratch = captured(desk)
        wanted = desk.sh(f"{{ {EVERYWHERE}; }} 2>&1; :")
        with Workspace(base) as fresh:
            fresh.put_back(layer, scratch, desk.contents.__getitem__)  # type: ignore[arg-type]
            assert fresh.snapshot() == layer
            assert fresh.scratch() == scratch
            assert boxed(fresh.mounts, site).text(f"{{ {EVERYWHERE}; }} 2>&1; :") == wanted
            # It is a workspace like any other: what is done next is seen, and nothing reaches the first one.
            boxed(fresh.mounts, site).text("printf next > next; printf next > /tmp/next")
            assert "next" in fresh.snapshot().manifest
        assert captured(desk) == (layer, scratch)


POISON = {
    "absolute link": ("ln -s /etc/passwd out", "absolute"),
    "escaping link": ("ln -s ../../etc/passwd out", "may leave the workspace"),
    "setuid file": ("cp run.sh suid; chmod 4755 suid", "setuid"),
    "setgid folder": ("mkdir sgid; chmod 2755 sgid", "setuid or setgid"),
    "too large": ("truncate -s 300M huge", "too large"),
}


@pytest.mark.parametrize("what", POISON)
@pytest.mark.parametrize("where", ["/testbed", "/tmp"])
def test_what_an_agent_left_as_a_trap_is_refused_and_an_earlier_state_still_comes_back(
    base: Base, site: Path, what: str, where: str
) -> None:
    command, said = POISON[what]
    with desk_on(base, site) as desk:
        desk.sh("echo edited > pkg/core.py; echo kept > /tmp/kept; cp run.sh /tmp/run.sh")
        earlier = captured(desk)
        desk.sh(f"cd {where} && {{ {command}; }}")
        poisoned = captured(desk)
        contents = dict(desk.contents)
        with Workspace(base) as fresh, pytest.raises(InputError, match=said):
            fresh.put_back(*poisoned, desk.contents.__getitem__)  # type: ignore[arg-type]
        assert desk.contents == contents
        with Workspace(base) as fresh:
            fresh.put_back(*earlier, desk.contents.__getitem__)  # type: ignore[arg-type]
            assert boxed(fresh.mounts, site).text("cat pkg/core.py /tmp/kept") == "edited\nkept\n"


def test_an_episode_carries_all_that_another_machine_needs(base: Base, site: Path, tmp_path: Path) -> None:
    here, there = Blobs(tmp_path / "here"), Blobs(tmp_path / "there")
    store = LayerStore(here)
    with desk_on(base, site) as desk:
        desk.sh('echo edited > pkg/core.py; rm crlf.txt; mkdir new; echo a > new/a; echo kept > "$HOME/kept"')
        layer, scratch = store.snapshot(desk.workspace), store.scratch(desk.workspace)
    state = Checkpoint(
        task="tiny-1", base=base.digest, call=3, layer=layer.digest, scratch=scratch,
        messages=here.put(canonical_json([{"role": "user", "content": "x"}])), malformed=0, source="e" * 64,
        provenance={},
    )  # fmt: skip
    keep = Episode(state, RecoveryAction(name="continue", workspace="keep", context="keep"))
    for blob in keep.contents(here.get):
        there.put(blob)
    with Workspace(base) as fresh:
        keep.put_back(fresh, there.get)
        assert fresh.snapshot() == layer
        assert boxed(fresh.mounts, site).text('cat pkg/core.py new/a "$HOME/kept"; ls crlf.txt 2>&1 || :').startswith(
            "edited\na\nkept\n"
        )
    reset = Episode(state, RecoveryAction(name="restart", workspace="reset", context="reset"))
    with Workspace(base) as fresh:
        reset.put_back(fresh, there.get)
        assert fresh.snapshot().manifest == {} and all(not part.manifest for part in fresh.scratch().values())
    other = Episode(Checkpoint(**{**vars(state), "base": "0" * 64}), keep.action)
    with Workspace(base) as fresh, pytest.raises(InputError, match="lies on base"):
        other.put_back(fresh, there.get)
