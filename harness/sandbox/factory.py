"""Makes a sandbox of the kind that a protocol names."""

from __future__ import annotations

from collections.abc import Mapping

from harness import plugins
from harness.errors import InputError
from harness.sandbox.interface import Sandbox
from harness.sandbox.tools import Tools


def make_sandbox(kind: str, tools: Tools, environment: Mapping[str, str] | None = None) -> Sandbox:
    """A sandbox that is not started yet.

    Args:
        kind: ``bubblewrap``, ``docker``, or the name of an entry point of ``restartlab.sandboxes``: a callable that
            takes (tools, environment) and returns a ``Sandbox``.
        environment: variables inside, beside PATH and HOME.

    Raises:
        InputError: the kind is unknown, or cannot use these tools.
    """
    variables = dict(environment or {})
    if kind == "bubblewrap":
        from harness.sandbox.bubblewrap import BubblewrapSandbox

        if tools.python is None or tools.site is None:
            raise InputError(
                f"the bubblewrap sandbox shows an interpreter of this host, not the image {tools.image}",
                key="sandbox.kind", mend="set sandbox.kind: docker",
            )  # fmt: skip
        return BubblewrapSandbox(tools.python, tools.site, variables)
    if kind == "docker":
        from harness.sandbox.docker.sandbox import DockerSandbox

        return DockerSandbox(tools, variables)
    if kind == "none":
        raise InputError("no command can run in it", key="sandbox.kind", mend="set sandbox.kind: bubblewrap")
    made: Sandbox = plugins.load("sandboxes", kind)(tools, variables)
    return made
