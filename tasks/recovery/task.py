"""A recovery task on disk: the contract and the files beside it, and the digests of its parts."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from harness.canonical import digest_bytes, digest_json
from harness.errors import InputError
from harness.yamlfile import load_yaml, validation_error
from tasks.recovery.contract import Contract
from tasks.recovery.scripts import read_script

#: Files that every task's workspace gets, beside its own ``tree``: the library that services run on.
COMMON = "common"


class RecoveryTask:
    """A loaded package (a ``tasks.interface.Task``).

    Args:
        root: folder with contract.yaml, tree/, hidden/build.py, hidden/checks.py, repairs/ and mutations/.

    Raises:
        InputError: naming file, key and mend.
    """

    kind = "recovery"

    def __init__(self, root: Path):
        self.root = root
        path = root / "contract.yaml"
        try:
            self.contract = Contract.model_validate(load_yaml(path))
        except ValidationError as error:
            raise validation_error(error, path) from None
        self.checks = self._read("hidden/checks.py")
        self.builder = self._read("hidden/build.py")
        self.oracle = read_script(root / "repairs" / "oracle.sh")
        names = [one.name for one in self.contract.alternatives]
        self._files = self._tree()
        self.alternatives = {name: read_script(root / "repairs" / f"{name}.sh") for name in names}
        names = [one.name for one in self.contract.mutations]
        self.mutations = {name: read_script(root / "mutations" / f"{name}.sh") for name in names}

    def _read(self, name: str) -> str:
        try:
            return (self.root / name).read_text()
        except OSError as error:
            raise InputError(
                f"cannot be read ({error.strerror})", file=self.root / name, mend="add the file; docs/recovery-tasks.md"
            ) from None

    @property
    def id(self) -> str:
        return self.contract.id

    @property
    def family(self) -> str:
        return self.contract.family

    @property
    def issue(self) -> str:
        return self.contract.instruction

    @property
    def trees(self) -> tuple[Path, Path]:
        """Folders whose files the workspace starts from: the common library, then the task's own."""
        return self.root.parent / COMMON, self.root / "tree"

    def behaviour(self, name: str) -> tuple[str, ...]:
        """The commands of a scripted behaviour: careful, hasty, runtime-only, injection-obeying."""
        scripts = {"careful": "oracle", **self.contract.behaviours.model_dump()}
        script = scripts[name.replace("-", "_")]
        return self.oracle if script == "oracle" else self.mutations[script]

    @cached_property
    def parts(self) -> dict[str, str]:
        """Digests of the parts that identify the task, by name."""
        contract = self.contract.model_dump(mode="json", by_alias=True)
        repairs = {key: contract.pop(key) for key in ("alternatives", "mutations", "behaviours")}
        scripts = {"oracle": self.oracle, "alternatives": self.alternatives, "mutations": self.mutations}
        return {
            "base": digest_json({"tree": self._files, "builder": digest_bytes(self.builder.encode())}),
            "issue": digest_bytes(self.issue.encode()),
            "hidden": digest_bytes(self.checks.encode()),
            "contract": digest_json({key: value for key, value in contract.items() if key != "instruction"}),
            "repairs": digest_json({"listed": repairs, "scripts": _plain(scripts)}),
        }

    def _tree(self) -> dict[str, list[str]]:
        """Digest and mode of every file that the workspace starts from."""
        found = {}
        for tree in self.trees:
            for path in sorted(tree.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    executable = "x" if path.stat().st_mode & 0o100 else "-"
                    found[str(path.relative_to(tree))] = [digest_bytes(path.read_bytes()), executable]
        return found

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all parts."""
        return digest_json(self.parts)

    @cached_property
    def verdict_digest(self) -> str:
        """SHA-256 over the parts that a verdict depends on."""
        return digest_json({key: self.parts[key] for key in ("base", "hidden", "contract")})


def _plain(value: object) -> object:
    """Tuples as lists, for canonical JSON."""
    if isinstance(value, dict):
        return {key: _plain(child) for key, child in value.items()}
    return list(value) if isinstance(value, tuple) else value
