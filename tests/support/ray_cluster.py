"""A Ray cluster of two nodes on this machine; each node's raylet a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class TwoNodes:
    """A running cluster; the second node can be killed."""

    cluster: Any
    second: Any

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def kill_second(self) -> None:
        """SIGKILL to the second node's raylet, by pid."""
        for process in self.second.all_processes["raylet"]:
            os.kill(process.process.pid, signal.SIGKILL)

    def wait_for(self, count: int, seconds: float = 60) -> None:
        """Waits until the cluster's head knows of ``count`` nodes."""
        from ray._private.state import GlobalState
        from ray._raylet import GcsClientOptions

        state = GlobalState()
        state._initialize_global_state(GcsClientOptions.create(self.address, None, True, False))
        until = time.monotonic() + seconds
        while sum(node["Alive"] for node in state.node_table()) != count:
            assert time.monotonic() < until, state.node_table()
            time.sleep(0.2)


@contextmanager
def two_nodes(cpus: int = 1) -> Iterator[TwoNodes]:
    """Two nodes with ``cpus`` each; everything of them ends with the block."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    Path("/tmp/ray").mkdir(exist_ok=True)  # where Ray notes the address of the newest cluster, whatever temp_dir says
    folder = Path(tempfile.mkdtemp(prefix="rl-", dir="/tmp"))  # socket names have to be short
    arguments = {"num_cpus": cpus, "object_store_memory": 80 << 20, "include_dashboard": False}
    cluster = Cluster(
        initialize_head=True,
        head_node_args={**arguments, "temp_dir": str(folder)},
    )
    try:
        second = cluster.add_node(**arguments, wait=True)
        yield TwoNodes(cluster, second)
    finally:
        cluster.shutdown()
        time.sleep(0.2)
        shutil.rmtree(folder, ignore_errors=True)
