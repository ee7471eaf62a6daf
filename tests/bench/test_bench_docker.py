"""What an action costs in the Docker sandbox, against the same command through the plain SDK."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_table import Results
from desks import tiny_base
from engines import engine_problem
from side_by_side import Compare, Round, side_by_side

from harness.sandbox.factory import make_sandbox
from harness.sandbox.interface import Limits
from harness.sandbox.tools import Tools
from harness.workspace.workspace import Workspace

GROUP = "an action that does nothing, in Docker"
PLAIN = "the plain SDK's exec_run"


def test_an_action_in_docker(compare: Compare, results: Results, bench_state: Path) -> None:
    if problem := engine_problem():
        results.skip(GROUP, "restartlab's Docker sandbox", problem)
        pytest.skip(problem)
    from harness.sandbox.docker.engine import DEFAULT_IMAGE, client

    plain = client().containers.run(DEFAULT_IMAGE, ["sleep", "1000"], detach=True, init=True, network_mode="none")
    try:
        with Workspace(tiny_base()) as workspace:
            sandbox = make_sandbox("docker", Tools(image=DEFAULT_IMAGE))
            sandbox.start(workspace.mounts, Limits())

            def ours() -> None:
                assert sandbox.run("true").returncode == 0

            def theirs() -> None:
                assert plain.exec_run(["bash", "-c", "true"]).exit_code == 0

            things: dict[str, Round] = {PLAIN: theirs, "restartlab's Docker sandbox": ours}
            compare(GROUP, things, rounds=60, baseline=PLAIN)
            sandbox.stop()

        def whole() -> None:
            with Workspace(tiny_base()) as workspace:
                fresh = make_sandbox("docker", Tools(image=DEFAULT_IMAGE))
                fresh.start(workspace.mounts, Limits())
                assert fresh.run("true").returncode == 0
                fresh.stop()

        results.time(GROUP, "workspace, container, action, end", side_by_side({"whole": whole}, 5)["whole"])
    finally:
        plain.remove(force=True)
