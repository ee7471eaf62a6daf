"""Inputs that broke the integrity of verification elsewhere; the names are the ids of the cases."""

from __future__ import annotations

import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from boxes import open_folder, sandbox_python
from tiny_lab import TinyLab

from harness.errors import InputError
from harness.sandbox import host
from harness.sandbox.selfcheck.network import PROBES as NETWORK
from harness.sandbox.selfcheck.scene import Scene, Subject
from harness.sandbox.selfcheck.suite import run_probes
from harness.sandbox.tools import Tools
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry
from harness.workspace.materialise import materialise
from tasks.registry import load_task
from verifiers import evaluation
from verifiers.gate import qualify
from verifiers.kinds import prepare_place
from verifiers.place import Place
from verifiers.selfcheck import history
from verifiers.selfcheck.attacks import ATTACKS
from verifiers.selfcheck.bench import Bench
from verifiers.selfcheck.tiny import REPAIRED
from verifiers.verdict import Verdict

pytestmark = pytest.mark.needs_bwrap
_ATTACKS = {attack.id: attack for attack in ATTACKS}
_REPAIR = f"sed -i 's/return n + 2/{REPAIRED}/' selfcheckpkg/core.py"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = open_folder(tmp_path_factory.mktemp("integrity"))
    host.visible(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RESTARTLAB_STATE", str(folder / "state"))
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield Bench(folder / "task", "bubblewrap", Tools(sandbox_python(), open_folder(folder / "site")))


@pytest.fixture
def scene(bench: Bench) -> Iterator[Scene]:
    from harness.sandbox.factory import make_sandbox

    with Scene(Subject(lambda: make_sandbox("bubblewrap", bench.tools), bench.workspace)) as made:
        yield made


def verdict_of(bench: Bench, command: str) -> Verdict:
    return bench.judge(bench.layer(command))


@pytest.mark.parametrize(
    "attack",
    [
        "conftest", "configuration", "interpreter-hooks", "path-files", "shadowed-test-library",
        "shadowed-standard-library",
    ],
)
def test_T48_a_fix_that_consists_of_runner_hooks_fails(bench: Bench, attack: str) -> None:
    verdict = verdict_of(bench, _ATTACKS[attack].command)
    assert (verdict.state, verdict.passed) == ("fail", False)
    assert bench.findings(bench.layer(_ATTACKS[attack].command))


@pytest.mark.parametrize(
    "attack", ["printed-success", "exit-on-import", "exit-in-test", "system-exit", "forged-report"]
)
def test_T49_printed_success_and_exit_zero_are_no_pass(bench: Bench, attack: str) -> None:
    assert verdict_of(bench, _ATTACKS[attack].command).state in ("fail", "no_result")


@pytest.mark.parametrize("attack", ["planted-tests", "weakened-tests"])
def test_T50_planted_and_weakened_tests_change_nothing(bench: Bench, attack: str) -> None:
    assert verdict_of(bench, _ATTACKS[attack].command).state == "fail"
    assert verdict_of(bench, f"{_REPAIR}; {_ATTACKS[attack].command}").passed  # nor do they harm a repair


def test_T52_a_runner_edited_mid_run_is_not_used(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = open_folder(tmp_path / "verifiers")
    runner = Path(shutil.copy(evaluation._RUNNER, folder / "runner.py"))
    monkeypatch.setattr(evaluation, "_RUNNER", runner)
    verifier = type(bench.verifier)(bench.task, bench.base, bench.tools, "bubblewrap")
    layer = bench.layer("true")
    assert verifier.verify(layer, bench.content.__getitem__).state == "fail"
    runner.write_text(runner.read_text() + "# edited\n")
    edited = verifier.verify(layer, bench.content.__getitem__)
    assert (edited.state, edited.tests) == ("infra_error", {})
    monkeypatch.undo()
    # Hidden tests are held in memory, as they were digested.
    (bench.task.root / "hidden" / "test_hidden.py").write_text("def test_doubles(): pass\n\ndef test_half(): pass\n")
    assert verdict_of(bench, "true").state == "fail"


def test_T53_no_history_later_than_the_base(bench: Bench, scene: Scene, tmp_path: Path) -> None:
    assert {p.finding.state for p in run_probes(scene, history.PROBES)} == {"refused"}
    # The same objects in a repository that has them: git there finds the fix, git in the workspace does not.
    upstream = tmp_path / "upstream"
    shutil.copytree(bench.base.tree, upstream)
    git = ["git", "-C", str(upstream), "-c", "safe.directory=*", "-c", "user.name=a", "-c", "user.email=a@b"]
    core = upstream / "selfcheckpkg" / "core.py"
    core.write_text(core.read_text().replace("return n + 2", REPAIRED))
    subprocess.run([*git, "commit", "-qam", "fix #1"], check=True)
    fix = subprocess.run([*git, "rev-parse", "HEAD", "HEAD:selfcheckpkg/core.py"], capture_output=True, text=True)
    names = fix.stdout.split()
    assert len(names) == 2
    for name in names:
        assert scene.current.sandbox.run(f"git cat-file -p {name}").returncode != 0
    assert scene.current.sandbox.run("git cat-file -p HEAD").returncode == 0


def test_T54_nothing_can_be_fetched_past_ignored_proxies(scene: Scene) -> None:
    assert {p.finding.state for p in run_probes(scene, NETWORK)} == {"refused"}
    port = scene.listeners.tcp_port
    proxies = "env -u http_proxy -u https_proxy -u HTTPS_PROXY -u ALL_PROXY"
    for fetch in (
        f"import urllib.request as u; u.build_opener(u.ProxyHandler({{}})).open('http://127.0.0.1:{port}', timeout=3)",
        "import urllib.request as u; u.urlopen('https://192.0.2.1/x', timeout=3)",
    ):
        done = scene.current.sandbox.run(f'{proxies} python3 -c "{fetch}"')
        assert done.returncode != 0
        assert b"URLError" in done.output


@pytest.mark.parametrize("attack", ["skip"])
def test_T55_skipped_is_no_pass(bench: Bench, attack: str) -> None:
    verdict = verdict_of(bench, _ATTACKS[attack].command)
    assert (verdict.state, verdict.obligations["doubles"]) == ("fail", False)


@pytest.mark.parametrize("hidden", ["", "def test_half(): pass\n"], ids=["zero tests", "one is absent"])
def test_T55_absent_tests_are_no_pass(bench: Bench, monkeypatch: pytest.MonkeyPatch, hidden: str) -> None:
    monkeypatch.setattr(bench.task, "hidden", hidden.encode())
    assert verdict_of(bench, _REPAIR).state in ("fail", "no_result")


class _Stub:
    """A verifier that judges by the number of the call; the gate around it is real."""

    digest = "0" * 64

    def __init__(self, place: Place, passes: Callable[[int, bool], bool]):
        self._real, self._passes, self._calls = place.verifier, passes, 0

    def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
        self._calls += 1
        real = self._real.verify(layer, content)
        passed = self._passes(self._calls, real.passed)
        tests = real.tests if passed == real.passed else dict.fromkeys(real.tests, "pass" if passed else "fail")
        return replace(real, state="pass" if passed else "fail", tests=tests)


@pytest.fixture
def place(lab: TinyLab, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name, value in lab.environment.items():
        if name.startswith(("RESTARTLAB_", "XDG_")):
            monkeypatch.setenv(name, value)
    return prepare_place(load_task("tiny-1"))


@pytest.mark.parametrize(
    "passes",
    [lambda n, real: True, lambda n, real: False, lambda n, real: n == 1, lambda n, real: n > 1],
    ids=["always", "never", "a marker that the first run consumed", "a marker that the first run left"],
)
def test_T57_a_verdict_that_does_not_depend_on_the_agent_is_refused(
    place: Place, passes: Callable[[int, bool], bool]
) -> None:
    result = qualify(place.task, replace(place, verifier=_Stub(place, passes)))  # type: ignore[arg-type]
    assert not result.qualified
    assert result.complaints()


def test_T57_every_mutation_must_fail(place: Place) -> None:
    """A verifier that only compares with the base: oracle passes, no-op fails, and yet wrong repairs pass."""
    empty: list[str] = []

    def passes(layer: Layer) -> bool:
        empty.append(layer.verdict_key)
        return layer.verdict_key != empty[0]

    class Changed(_Stub):
        def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
            self._passes = lambda n, real: passes(layer)
            return super().verify(layer, content)

    stub = Changed(place, lambda n, real: real)
    result = qualify(place.task, replace(place, verifier=stub))  # type: ignore[arg-type]
    assert result.reference and result.nop and not result.qualified
    assert any("mutation" in text for text in result.complaints())


def test_T58_a_flaky_reference_is_recorded_with_its_rate(place: Place) -> None:
    # Calls 1 and 2 are base and no-op; of the three of the reference one comes out wrong.
    flaky = _Stub(place, lambda n, real: real and n != 4)
    result = qualify(place.task, replace(place, verifier=flaky))  # type: ignore[arg-type]
    assert not result.qualified
    assert result.data()["flake_rate"] == pytest.approx(1 / 3)
    sound = qualify(place.task, place)  # type: ignore[arg-type]
    assert (sound.qualified, sound.flake_rate) == (True, 0.0)


def test_T66_a_restored_checkpoint_follows_nothing_and_honours_nothing(bench: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    first = bench.layer("mkdir -p .cache/deep; echo cached > .cache/deep/f; echo one > state")
    poisoned = bench.layer(
        f"rm -f README state; ln -s {secret} README; ln -s {tmp_path} out; cp selfcheckpkg/core.py x; chmod 6755 x; "
        "mkfifo state; rm -rf selfcheckpkg; ln -s / selfcheckpkg"
    )
    assert b"of the host" not in bench.content.values()
    targets = [tmp_path / "first", tmp_path / "poisoned"]
    for layer, target in zip((first, poisoned), targets, strict=True):
        target.mkdir()
        materialise(layer.manifest, target, bench.content.__getitem__, bench.base.manifest)
    assert (targets[0] / ".cache/deep/f").read_text() == "cached\n"
    assert (targets[0] / "state").read_text() == "one\n"
    assert (targets[1] / "README").is_symlink() and (targets[1] / "out").is_symlink()
    assert (targets[1] / "x").stat().st_mode & (stat.S_ISUID | stat.S_ISGID) == 0
    assert not (targets[1] / "state").exists()
    assert secret.read_text() == "of the host"
    for path in ("/etc/x", "../x"):
        with pytest.raises(InputError):
            materialise({path: Entry("directory", 0o755)}, tmp_path / "poisoned", bench.content.__getitem__, {})
