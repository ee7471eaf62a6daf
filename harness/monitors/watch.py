"""Turns the lines of a trajectory into prefixes: the same code for an attempt that runs and for one that was stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from harness.importers.plain import text_of
from harness.monitors.prefix import Prefix, SeenAction, SeenCall
from harness.recorder import decode_output

Line = Mapping[str, Any]


class Watch:
    """Takes lines in the order in which they are recorded; ``prefix`` is the episode up to the last of them."""

    def __init__(self) -> None:
        self.prefix = Prefix(task="", horizon=0)

    def take(self, line: Line) -> None:
        """Takes one line in; what a monitor may not see is passed over, and so is what tells it nothing."""
        match line.get("type"):
            case "start":
                self.prefix = replace(self.prefix, task=str(line["task"]), horizon=int(line["horizon"]))
            case "call":
                self._begin(line)
            case "message":
                self._hear(line.get("message") or {})
            case "action":
                self._act(line)
            case "verdict":
                self._settle(line)
            case "intervention":  # what follows is an episode of its own
                self.prefix = replace(self.prefix, calls=(), messages=())
            case "statement":
                self._last(statement=str(line["answer"]), charged=bool(line.get("charged")))

    def _begin(self, line: Line) -> None:
        seen = SeenCall(int(line["call"]), bool(line.get("parsed")), "", line.get("cost_usd"))
        self.prefix = replace(self.prefix, calls=(*self.prefix.calls, seen))

    def _hear(self, message: Line) -> None:
        role, text = message.get("role"), text_of(message.get("content"))
        if not self.prefix.calls:
            if role in ("system", "user"):
                self.prefix = replace(self.prefix, messages=(*self.prefix.messages, text))
        elif not self.prefix.calls[-1].text:
            if role != "assistant":
                # The answer to a reply that did not parse; the reply is in its extra.
                text = "" if self.prefix.calls[-1].parsed else refused_text(message.get("extra") or {})
            self._last(text=text)

    def _act(self, line: Line) -> None:
        if not self.prefix.calls:
            return
        output = decode_output(dict(line)).decode("utf-8", "replace")
        action = SeenAction(str(line["command"]), line.get("returncode"), output, float(line["seconds"]), None)
        self._last(actions=(*self.prefix.calls[-1].actions, action))

    def _settle(self, line: Line) -> None:
        actions = self.prefix.calls[-1].actions if self.prefix.calls else ()
        if actions:
            # Of a verdict only the name of the workspace's content: what the verifier found must not reach a monitor.
            self._last(actions=(*actions[:-1], replace(actions[-1], state=str(line["key"]))))

    def _last(self, **changes: Any) -> None:
        if self.prefix.calls:
            *before, last = self.prefix.calls
            self.prefix = replace(self.prefix, calls=(*before, replace(last, **changes)))


def refused_text(extra: Line) -> str:
    """The text of a reply that did not parse, from what was kept of it."""
    try:
        return text_of(extra["response"]["choices"][0]["message"]["content"])
    except (KeyError, IndexError, TypeError):
        return ""


def prefixes(lines: Iterable[Line]) -> Iterator[Prefix]:
    """The prefix after every call of the agent, with all that belongs to the call; holds one prefix at a time.

    After an arm's action a prefix holds the calls since: what a monitor sees in a running attempt too.
    """
    watch = Watch()
    for line in lines:
        if line.get("type") in ("call", "intervention") and watch.prefix.calls:
            yield watch.prefix
        watch.take(line)
    if watch.prefix.calls:
        yield watch.prefix
