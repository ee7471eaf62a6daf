"""A task package on disk: its schema, loading, and the digests of its parts."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.canonical import digest_bytes, digest_json
from harness.errors import InputError
from harness.paths import task_dir
from harness.yamlfile import load_yaml, validation_error

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Model):
    """Where the base tree comes from: a released source distribution."""

    package: str
    """Name on the Python package index."""
    release: str
    """Exact release; its SHA-256 is in the sources file of the adapter."""
    pull_request: int
    """Public number of the change that repaired the bug upstream."""


class HiddenTest(_Model):
    """One hidden test function and the obligation it checks."""

    name: Annotated[str, Field(pattern=r"^test_\w+$")]
    kind: Literal["failing", "guard"]
    """failing: fails at base; guard: passes at base and must keep passing."""
    obligation: Name


class Mutation(_Model):
    """A plausible wrong repair that violates one named obligation."""

    name: Name
    obligation: Name
    visible_tests_pass: bool
    """Whether the repository's own tests in ``visible_tests`` accept it."""
    summary: str


class Alternative(_Model):
    """A valid repair that differs from the reference."""

    name: Name
    summary: str


class Explore(_Model):
    """Material for the scripted agent: what a person would read and run."""

    files: Annotated[list[str], Field(min_length=1)]
    patterns: Annotated[list[str], Field(min_length=1)]
    snippets: Annotated[list[str], Field(min_length=1)]


class TaskSpec(_Model):
    """Content of ``task.yaml``."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    id: Annotated[str, Field(pattern=r"^[a-z0-9]+-[a-z0-9._-]+$")]
    title: str
    family: str
    difficulty: str
    source: Source
    pythons: Annotated[list[Annotated[str, Field(pattern=r"^3\.\d+$")]], Field(min_length=1)]
    obligations: Annotated[dict[Name, str], Field(min_length=1)]
    tests: Annotated[list[HiddenTest], Field(min_length=1)]
    mutations: Annotated[list[Mutation], Field(min_length=1)]
    alternatives: list[Alternative] = []
    visible_tests: list[str]
    visible_note: str | None = None
    explore: Explore
    test_seconds: Annotated[float, Field(gt=0)] = 30.0
    """Limit of one hidden test function, seconds."""

    @model_validator(mode="after")
    def _consistent(self) -> TaskSpec:
        for kind, names in (
            ("test", [t.name for t in self.tests]),
            ("mutation", [m.name for m in self.mutations]),
            ("alternative", [a.name for a in self.alternatives]),
        ):
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"{kind} {name!r} is listed twice")
        used = [(t.name, t.obligation) for t in self.tests] + [(m.name, m.obligation) for m in self.mutations]
        for name, obligation in used:
            if obligation not in self.obligations:
                raise ValueError(f"{name!r} names the unknown obligation {obligation!r}")
        if not any(t.kind == "failing" for t in self.tests):
            raise ValueError("no test of kind 'failing': the base could not fail")
        return self


class TaskPackage:
    """A loaded package: the spec, its directory, and the texts beside it.

    Args:
        root: directory with task.yaml, issue.md, hidden/test_hidden.py, reference.patch, mutations/, alternatives/.

    Raises:
        InputError: naming file, key and mend.
    """

    def __init__(self, root: Path):
        self.root = root
        path = root / "task.yaml"
        try:
            self.spec = TaskSpec.model_validate(load_yaml(path))
        except ValidationError as error:
            raise validation_error(error, path) from None
        self.issue = self._read("issue.md").decode()
        self.hidden = self._read("hidden/test_hidden.py")
        self.reference = self._read("reference.patch")
        self.mutations = {m.name: self._read(f"mutations/{m.name}.patch") for m in self.spec.mutations}
        self.alternatives = {a.name: self._read(f"alternatives/{a.name}.patch") for a in self.spec.alternatives}

    kind = "hidden-tests"

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def family(self) -> str:
        return self.spec.family

    @property
    def explore(self) -> Explore:
        return self.spec.explore

    def _read(self, name: str) -> bytes:
        try:
            return (self.root / name).read_bytes()
        except OSError as error:
            raise InputError(
                f"cannot be read ({error.strerror})", file=self.root / name, mend="add the file that task.yaml needs"
            ) from None

    @cached_property
    def parts(self) -> dict[str, str]:
        """Digests of the parts that identify the task, by name."""
        spec = self.spec.model_dump(mode="json", by_alias=True)
        return {
            "base": digest_json(spec["source"]),
            "issue": digest_bytes(self.issue.encode()),
            "hidden": digest_json({"code": digest_bytes(self.hidden), "tests": spec["tests"]}),
            "limits": digest_json({"pythons": spec["pythons"], "test_seconds": spec["test_seconds"]}),
            "repairs": digest_json(
                {
                    "reference": digest_bytes(self.reference),
                    "mutations": {n: digest_bytes(p) for n, p in self.mutations.items()},
                    "alternatives": {n: digest_bytes(p) for n, p in self.alternatives.items()},
                    "obligations": [[m["name"], m["obligation"]] for m in spec["mutations"]],
                    "explore": spec["explore"],
                }
            ),
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all parts."""
        return digest_json(self.parts)

    @cached_property
    def verdict_digest(self) -> str:
        """SHA-256 over the parts that a verdict depends on: base, hidden tests, limits."""
        return digest_json({k: self.parts[k] for k in ("base", "hidden", "limits")})


def task_roots() -> dict[str, Path]:
    """Directory of every package below the task directory, by task id (``sympy-22714`` is ``sympy/22714``)."""
    return {
        f"{path.parent.parent.name}-{path.parent.name}": path.parent
        for path in sorted(task_dir().glob("*/*/task.yaml"))
    }


class Packages:
    """The packages below the task directory, as a source of tasks."""

    def ids(self) -> list[str]:
        return list(task_roots())

    def load(self, task_id: str) -> TaskPackage:
        """The package named ``task_id``; raises ``InputError`` when it is damaged or its id differs."""
        package = TaskPackage(task_roots()[task_id])
        if package.id != task_id:
            raise InputError(
                f"id is {package.id!r} but the folder says {task_id!r}",
                file=package.root / "task.yaml",
                key="id",
                mend=f"set id: {task_id}",
            )
        return package
