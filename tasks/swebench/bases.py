"""Bases of instances: the tree at ``base_commit`` as a repository of one commit, and the Python that shows it."""

from __future__ import annotations

from pathlib import Path

from harness.sandbox.interpreter import Interpreter, choose
from harness.workspace.base import Base, build_base, built_digest
from tasks.download import site_folder
from tasks.swebench.instance import Instance
from tasks.swebench.mirror import check_out, find_mirror
from tasks.swebench.repositories import repository_of


def _key(instance: Instance) -> dict[str, object]:
    return {"git": instance.repo, "commit": instance.base_commit}


def python_for(instance: Instance) -> Interpreter:
    """The installed Python that suits an instance best; raises ``InputError`` when there is none."""
    return choose(repository_of(instance).pythons(instance.version), own_first=False)


def base_for_instance(instance: Instance, repos: Path | None, python: Interpreter) -> Base:
    """The base of an instance, built from a mirror below ``repos`` if this machine does not have it.

    Raises:
        InputError: it has to be built, and there is no mirror with its commit.
    """
    repository_of(instance)

    def unpack(target: Path) -> None:
        check_out(find_mirror(repos, instance.repo, instance.base_commit), instance.base_commit, target)

    return build_base(_key(instance), unpack, [python.executable])


def known_base_digest(instance: Instance) -> str | None:
    """Digest of the base of an instance if this machine has built it."""
    return built_digest(_key(instance))


def site_for_instance(instance: Instance, python: Interpreter) -> Path:
    """The packages of the sandbox's Python for an instance."""
    return site_folder(repository_of(instance).site, python.executable)
