"""What a verification costs, against running the module's whole visible test file on a fresh copy of the tree."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from side_by_side import Compare

from harness.canonical import digest_bytes
from harness.workspace.files import remove_tree
from harness.workspace.layer import Layer
from verifiers.place import Place

pytestmark = pytest.mark.needs_bwrap

#: Runs every test function of a file, passing or not.
_WHOLE_FILE = """
import importlib, sys
sys.path[:0] = sys.argv[1:3]
module = importlib.import_module(sys.argv[3])
ran = 0
for name, test in list(vars(module).items()):
    if name.startswith("test_") and callable(test):
        ran += 1
        try:
            test()
        except BaseException:
            pass
print(ran)
"""


def test_verification(compare: Compare, place: Place, bench_folder: Path) -> None:
    file = place.task.spec.explore.files[0]
    entry, text = place.base.manifest[file], (place.base.tree / file).read_bytes()
    contents: dict[str, bytes] = {}

    def state(n: int) -> Layer:
        """A state that was not judged yet."""
        edited = text + f"\n# {n}\n".encode()
        contents[digest_bytes(edited)] = edited
        return Layer({file: replace(entry, sha256=digest_bytes(edited), size=len(edited))})

    verifier = place.cached_verifier
    assert verifier.verify(state(0), contents.__getitem__).state == "fail"
    rounds = iter(range(1, 1000))

    def unchanged() -> None:
        assert verifier.verify(state(0), contents.__getitem__).cached

    def changed() -> None:
        verdict = verifier.verify(state(next(rounds)), contents.__getitem__)
        assert verdict.state == "fail" and not verdict.cached

    module = place.task.spec.visible_tests[0].removesuffix(".py").replace("/", ".")

    def whole_file() -> Callable[[], object]:
        copy = bench_folder / "fresh"
        subprocess.run(["cp", "-a", place.base.tree, copy], check=True)
        command = [str(place.tools.python.executable), "-I", "-W", "ignore", "-c", _WHOLE_FILE]
        command += [str(copy), str(place.tools.site), module]
        done = subprocess.run(command, capture_output=True, text=True, cwd=copy)
        assert int(done.stdout.split()[-1]) > 0, done.stderr
        return lambda: remove_tree(copy)

    baseline = "the whole visible test file on a fresh copy"
    things = {baseline: whole_file, "changed state: hidden tests, clean mount": changed, "unchanged state": unchanged}
    compare("a verification", things, rounds=7, baseline=baseline)
