"""The errors that reach a person, each with the exit code that the command line returns for it."""

from __future__ import annotations


class RestartlabError(Exception):
    """Base of all errors that are printed without a traceback."""

    exit_code = 1


class InputError(RestartlabError):
    """Bad input: a file, an option, an environment. Nothing was written.

    Args:
        what: the problem, with the offending value.
        file: the file (or option) it came from.
        key: the key, row or column inside that file.
        mend: what the user can do about it.
    """

    exit_code = 2

    def __init__(self, what: str, *, file: object = None, key: str | None = None, mend: str | None = None):
        self.what, self.file, self.key, self.mend = what, file, key, mend
        place = ": ".join(str(part) for part in (file, key) if part)
        text = f"{place}: {what}" if place else what
        super().__init__(f"{text}\n  mend: {mend}" if mend else text)


class Incomplete(RestartlabError):
    """The command ran, but its result is incomplete or negative."""

    exit_code = 1


class InfrastructureError(RestartlabError):
    """The host, the sandbox or the verifier failed; says nothing about the agent."""
