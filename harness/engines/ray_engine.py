"""Runs jobs as Ray tasks on an existing cluster. Ray only launches: what may run, and what counts, the store decides.

Tasks are never retried by Ray (it would run an attempt at least once, perhaps twice); a task lost with its node comes
back as lost, and its try is excluded like that of a killed worker.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.engines.local import Answer
from harness.engines.node import Shipment, node_facts, perform
from harness.engines.worker import Failure
from harness.errors import InputError
from harness.paths import state_dir
from harness.store.blobs import BlobError, Blobs

#: Variables that tell a node where tasks are, where they differ from its checkout's. Credentials are not among them: a
#: node has its own, given when its Ray was started.
_FORWARDED = (
    "RESTARTLAB_TASKS", "XDG_CACHE_HOME", "PYTHONPATH", "DOCKER_HOST", "RESTARTLAB_DATASETS", "RESTARTLAB_REPOS",
)  # fmt: skip


class RayEngine:
    """The interface of ``LocalEngine`` over a cluster; use as a context manager.

    Args:
        workers: attempts at once; None: as many as the cluster has CPUs.
        address: of the cluster (``HOST:PORT``, ``ray://HOST:PORT``), or ``auto`` for the one this machine belongs to.
        pythons: versions that a sandbox may use, to compare the nodes by.
        sandbox: kind of sandbox that every node must run.

    Raises:
        InputError: Ray is not installed, no cluster answers, or a node runs other code.
    """

    def __init__(self, workers: int | None, address: str, pythons: tuple[str, ...], sandbox: str):
        self._ray = _ray()
        variables = {name: os.environ[name] for name in _FORWARDED if name in os.environ}
        try:
            self._ray.init(
                address=address, runtime_env={"env_vars": variables}, log_to_driver=False, logging_level="error",
                namespace="restartlab",
            )  # fmt: skip
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise InputError(
                f"no Ray cluster answers ({str(error).splitlines()[0]})", file=address, key="--address",
                mend="start one (ray start --head), or give its address",
            ) from None  # fmt: skip
        try:
            self._compare_nodes(pythons, sandbox)
        except BaseException:
            self._ray.shutdown()
            raise
        self._size = workers or int(self._ray.cluster_resources().get("CPU", 1))
        self._task = self._ray.remote(num_cpus=1, max_retries=0, max_calls=0)(_launch)
        self._running: dict[Any, tuple[Any, tuple[str, Any]]] = {}
        self._blobs = Blobs(state_dir() / "blobs")

    def _compare_nodes(self, pythons: tuple[str, ...], sandbox: str) -> None:
        """Refuses a cluster whose nodes would not run the same thing."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        wanted = node_facts(pythons, sandbox)
        probe = self._ray.remote(num_cpus=0, max_retries=0)(_facts)
        nodes = [node["NodeID"] for node in self._ray.nodes() if node["Alive"]]
        asked = {
            node: probe.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote(
                pythons, sandbox
            )
            for node in nodes
        }
        for node, reference in asked.items():
            try:
                found = self._ray.get(reference, timeout=120)
            except self._ray.exceptions.RayError as error:
                said = str(getattr(error, "cause", None) or error).strip().splitlines()[-1]
                raise InputError(
                    f"node {node[:12]} cannot run attempts: {said}", key="--address",
                    mend="install this checkout there (make setup), and run `restartlab doctor` on it",
                ) from None  # fmt: skip
            for name, value in wanted.items():
                if found[name] != value:
                    raise InputError(
                        f"node {node[:12]} has another {name}: {found[name][:20]}, here {value[:20]}", key="--address",
                        mend="bring the checkouts and Pythons of all nodes to the same version",
                    )  # fmt: skip

    @property
    def running(self) -> list[Any]:
        """Keys of the jobs in hand."""
        return [key for key, _ in self._running.values()]

    @property
    def free(self) -> bool:
        """Whether another job can start at once."""
        return len(self._running) < self._size

    def submit(self, key: Any, job: tuple[str, Any]) -> None:
        """Starts a job; call only when ``free``. ``key`` comes back with the answer, or with why there is none."""
        self._running[self._task.remote(job, self._carried(job))] = (key, job)

    def _carried(self, job: tuple[str, Any]) -> list[bytes]:
        """Blobs that a node needs for a job, and does not have."""
        kind, payload = job
        if kind == "try" and payload.episode:
            with contextlib.suppress(BlobError, InputError):  # the try itself says what is wrong with them
                return list(payload.episode.contents(self._blobs.get))
        return []

    def answers(self, seconds: float) -> Iterator[Answer]:
        """Answers that are there, waiting at most ``seconds`` for the first."""
        if not self._running:
            return
        ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        if ready:  # whatever else is there comes along
            ready, _ = self._ray.wait(list(self._running), num_returns=len(self._running), timeout=0)
        for reference in ready:
            key, job = self._running.pop(reference)
            yield self._answer(key, job, reference)

    def _answer(self, key: Any, job: tuple[str, Any], reference: Any) -> Answer:
        exceptions = self._ray.exceptions
        try:
            shipment: Shipment = self._ray.get(reference)
        except exceptions.RayTaskError as error:
            return Answer(key, failure=Failure("harness_failure", str(error)))
        except exceptions.RayError:  # the node, its worker process, or the object is gone
            return Answer(key, failure=Failure("worker_lost", "the node, or its Ray worker, ended"))
        for content in shipment.blobs.values():
            self._blobs.put(content)
        if shipment.trajectory is not None:
            path: Path = job[1].trajectory
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(shipment.trajectory)
        return Answer(key, shipment.result, shipment.failure)

    def stop(self) -> None:
        """Ends all jobs in hand and with them their sandboxes, and leaves the cluster."""
        for reference in self._running:
            with contextlib.suppress(self._ray.exceptions.RayError):
                self._ray.cancel(reference, force=True)
        self._running.clear()
        self._ray.shutdown()

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _launch(job: tuple[str, Any], carried: list[bytes]) -> Shipment:
    import ray

    return perform(job, ray.get_runtime_context().get_node_id()[:16], carried)


def _facts(pythons: tuple[str, ...], sandbox: str) -> dict[str, str]:
    return node_facts(pythons, sandbox)


def _ray() -> Any:
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise InputError(
            "Ray is not installed", key="--engine", mend="pip install -r requirements/ray.txt, or use --engine local"
        ) from None
    return ray
