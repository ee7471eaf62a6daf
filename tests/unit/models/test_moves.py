"""The scripted moves, run with real bash and git on a real tree, over many seeds."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice

from harness.models.law import CompletionLaw
from harness.models.moves import Moves
from harness.models.plan import moves, planned_event
from harness.models.replies import SUBMISSION

#: Busy on purpose: every kind of move, often after each other.
BUSY = CompletionLaw.model_validate({
    "hazard": [{"from": 1, "value": 0.0}, {"from": 4, "value": 0.2}], "malformed": 0.05, "submit": 0.02,
    "destroy": 0.2,
})
TYPICAL = BUSY.overridden({"hazard": [{"from": 1, "value": 0.0}, {"from": 4, "value": 0.12}], "destroy": 0.03})


def commands_of(reply):
    return [json.loads(arguments)["command"] for _, arguments in reply.calls]


def classify(command):
    """read, change, run or submit, from the text of the command alone."""
    if command.startswith(SUBMISSION):
        return "submit"
    if re.match(r"(cat > \S+ <<|git apply|git checkout|rm -f|: >|sed -i)", command):
        return "change"
    if re.match(r"python3 ", command):
        return "run"
    assert re.match(r"(sed -n|grep|git (log|status|diff)|ls|find|wc) ?", command), command
    return "read"


def test_every_edit_leaves_what_it_says(tiny, workspace):
    """Wrong repairs apply and come off, damage breaks, and a completing move ends in exactly a valid repair."""
    valid = tiny.of("reference") + tiny.of("alternatives")
    seen: Counter[object] = Counter()
    for seed in range(24):
        root, making = workspace(), Moves(tiny.task)
        for kind, rng in islice(moves(seed, BUSY, 1.0), 25):
            before = making.state
            reply = making.reply(kind, rng)
            if kind in ("malformed", "explore", "run"):
                continue
            done = [tiny.run(command, root) for command in commands_of(reply)]
            now = tiny.contents(root)
            seen[kind, before] += 1
            assert kind == "scratch" or [d.returncode for d in done] == [0], (seed, kind, done)
            if kind == "complete":
                assert now in valid
                seen[kind, valid.index(now)] += 1
                break
            if kind == "wrong":
                assert now in tiny.of("mutations")
            if kind in ("revert", "restore"):
                assert now == tiny.base
            if kind == "destroy":
                assert now != tiny.base and not tiny.passes(root)
            if kind == "submit":
                assert done[0].stdout.startswith(b"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n")
    for need in (
        ("complete", "clean"), ("complete", "wrong"), ("complete", "broken"), ("complete", 0), ("complete", 1),
        ("wrong", "wrong"), ("revert", "wrong"), ("restore", "broken"), ("destroy", "wrong"), ("destroy", "broken"),
    ):
        assert seen[need], need


def test_the_fixture_separates_valid_from_wrong(tiny, workspace):
    for path in tiny.results:
        root = workspace()
        assert tiny.run(f"git apply {tiny.task.root / path}", root).returncode == 0
        assert tiny.passes(root) is not path.startswith("mutations"), path
    assert not tiny.passes(workspace())


def test_reads_and_runs_work_and_change_nothing(tiny, workspace):
    root = workspace()
    kinds: Counter[str] = Counter()
    empty = 0
    for seed in range(5):
        making = Moves(tiny.task)
        for kind, rng in islice(moves(seed, TYPICAL.overridden({"destroy": 0.0}), 1.0), 12):
            reply = making.reply(kind, rng)
            for command in commands_of(reply) if kind in ("explore", "run", "scratch") else ():
                done = tiny.run(command, root)
                kinds[kind] += 1
                text = (done.stdout + done.stderr).decode()
                # grep finds nothing (1), or the snippet shows the bug; anything else is a broken command.
                assert done.returncode == 0 or (command.startswith("grep") and done.returncode == 1) or (
                    "ZeroDivisionError" in text), (command, text)
                assert "$HOME" in text or "date" not in text  # nothing was expanded
                empty += not text
        assert tiny.contents(root) == tiny.base
    assert set(kinds) == {"explore", "run", "scratch"}
    assert empty < kinds.total() / 2


def test_at_least_half_of_the_actions_change_or_run_something(tiny):
    whole: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    doubled = 0
    for seed in range(200):
        making = Moves(tiny.task)
        draws = list(islice(moves(seed, TYPICAL, 1.0), 60))
        end = planned_event([kind for kind, _ in draws]).call
        for call, (kind, rng) in enumerate(draws, 1):
            reply = making.reply(kind, rng)
            if kind == "malformed":
                continue
            found = [classify(command) for command in commands_of(reply)]
            doubled += len(found) == 2
            assert len(found) == 1 or set(found) == {"read"}
            whole.update(found)
            if call <= end:
                ended.update(found)
    for counts in (whole, ended):
        assert counts["change"] + counts["run"] >= counts.total() / 2, counts
        assert min(counts["change"], counts["run"], counts["read"]) > counts.total() / 10
    assert doubled > 100


def test_commands_depend_on_the_seed_alone(tiny):
    def script(seed):
        making = Moves(tiny.task)
        return [making.reply(kind, rng) for kind, rng in islice(moves(seed, BUSY, 1.0), 40)]

    assert script(3) == script(3)
    assert script(3) != script(4)
