"""Instances of SWE-bench Verified from a SymPy mirror; skipped where the dataset or the mirror is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.paths import PROJECT
from tasks.swebench.dataset import load_instances
from tasks.swebench.mirror import find_mirror
from tasks.swebench.task import SwebenchTask
from verifiers.instances import Instances

DATASET = PROJECT.parent / "shared" / "data" / "swebench_verified_sympy.jsonl.gz"

pytestmark = [
    pytest.mark.needs_bwrap,
    pytest.mark.skipif(not DATASET.exists(), reason="the shared dataset of SymPy instances is not here"),
]


def test_all_records_are_read() -> None:
    instances = load_instances(str(DATASET))
    assert len(instances) == 75
    assert len({SwebenchTask(instance).digest for instance in instances.values()}) == 75


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("RESTARTLAB_REPOS"), reason="no SymPy mirror: RESTARTLAB_REPOS is not set")
@pytest.mark.parametrize("number", [11618, 22714])
def test_an_old_and_a_new_instance_qualify(state: Path, number: int) -> None:
    instance = load_instances(str(DATASET))[f"sympy__sympy-{number}"]
    find_mirror(Path(os.environ["RESTARTLAB_REPOS"]), instance.repo, instance.base_commit)
    result = Instances().qualify(SwebenchTask(instance), "bubblewrap")
    assert result.qualified, (result.complaints(), result.verdicts)
