"""Names the actions whose outcome depended on what a sandbox does not have: the network, the clock, other tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.importers.record import Observation
from harness.reverify.fidelity import Match, shown_text
from harness.sandbox.interface import Result

_START = r"(?:^|[|;&(\n]|\b(?:sudo|time|exec|xargs)\s)\s*"
_INSTALLS = re.compile(
    _START + r"(?:python[\d.]*\s+-m\s+)?((?:pip[\d.]*|conda|mamba|uv|apt|apt-get|npm|yarn|gem|cargo)\s+(?:\w+\s+)?"
    r"(?:install|add|upgrade|remove|uninstall))\b",
    re.MULTILINE,
)
_NETWORK = re.compile(
    _START + r"(curl|wget|ssh|scp|rsync|ping|git\s+(?:clone|fetch|pull|push|ls-remote)|pip[\d.]*\s+download)\b",
    re.MULTILINE,
)
_NO_NETWORK = re.compile(
    r"Temporary failure in name resolution|Could not resolve host|Network is unreachable|NewConnectionError"
    r"|Name or service not known|No matching distribution found|Could not find a version that satisfies"
)
_CLOCK = re.compile(
    _START + r"(date|time|uptime|timeout|sleep)\b|\b(timeit|perf_counter|time\.time|signal\.alarm)\b", re.MULTILINE
)
_MISSING_TOOL = re.compile(r"(?:^|: )([\w.+/-]+): (?:command not found|not found)$", re.MULTILINE)
_MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


def dependences(
    command: str, recorded: Observation | None, result: Result, match: Match
) -> Iterator[tuple[str, str]]:
    """(kind, detail) for one executed action: env_changed, network, missing_tool, time."""
    shown = shown_text(result.output)
    known = "" if recorded is None else (recorded.output or recorded.head + recorded.tail)
    if installs := _INSTALLS.search(command):
        yield "env_changed", " ".join(installs[1].split())
    differs = match.diverges
    network = _NETWORK.search(command)
    if asked := network or installs:
        yield "network", " ".join(asked[1].split())
    elif _NO_NETWORK.search(shown) and not _NO_NETWORK.search(known):
        yield "network", "there is none here"
    for name in sorted(set(_MISSING_TOOL.findall(shown)) - set(_MISSING_TOOL.findall(known))):
        if differs:
            yield "missing_tool", name
    for name in sorted(set(_MISSING_MODULE.findall(shown)) - set(_MISSING_MODULE.findall(known))):
        if differs:
            yield "missing_tool", f"Python module {name}"
    if recorded and (recorded.timed_out or result.timed_out):
        yield "time", "ran into a time limit"
    elif differs and (clock := _CLOCK.search(command)):
        yield "time", clock[1] or clock[2]
