"""Plan expansion: identity, order, seeds, origins."""

from __future__ import annotations

import hashlib

from protocol_factory import Project

from harness.plan import attempt_id, expand
from harness.protocol.load import load_protocol

DIGEST = "ab" * 32


def test_identity_is_the_documented_hash_and_stays_what_it_is() -> None:
    text = f'{{"arm":"baseline","repeat":3,"runtime":"luna","stage":"{DIGEST}","task":"demo-1"}}'
    identity = attempt_id(DIGEST, "demo-1", "luna", "baseline", 3)
    assert identity == hashlib.sha256(text.encode()).hexdigest()
    # Written down once: databases and seeds of earlier releases depend on it.
    assert identity == "9d36ac5977be9e3138cea4235ebedf2e6b1b198b869bf3a818265fd47bbc82a0"


def test_every_cell_once_repeats_outermost(project: Project) -> None:
    project.write_stage({"arms": [{"name": "baseline"}, {"name": "other"}], "repeats": 3})
    protocol = load_protocol("small")
    plan = expand(protocol, DIGEST, ("scripted", "luna"))
    assert len(plan) == len({attempt.id for attempt in plan}) == 3 * 2 * 2 * 2
    assert [attempt.repeat for attempt in plan] == sorted(attempt.repeat for attempt in plan)
    cells = [(attempt.task, attempt.runtime, attempt.arm) for attempt in plan]
    assert cells[:8] == cells[8:16] == cells[16:]
    assert len(set(cells[:8])) == 8
    assert cells[0] == ("demo-1", "scripted", "baseline")
    assert plan == expand(protocol, DIGEST, ("scripted", "luna"))
    for attempt in plan:
        assert (attempt.stage, attempt.digest, attempt.horizon) == ("small", DIGEST, 30)
        assert attempt.id == attempt_id(DIGEST, attempt.task, attempt.runtime, attempt.arm, attempt.repeat)
        assert attempt.seed == int(attempt.id, 16) >> 192


def test_only_language_models_are_collected(project: Project) -> None:
    project.write_stage({"runtimes.nop": {"agent": "nop"}})
    protocol = load_protocol("small")
    origins = {a.runtime: a.origin for a in expand(protocol, DIGEST, ("scripted", "oracle", "nop", "local", "luna"))}
    assert origins == {
        "scripted": "synthetic", "oracle": "synthetic", "nop": "synthetic", "local": "collected", "luna": "collected",
    }  # fmt: skip


def test_another_stage_digest_shares_no_attempt(project: Project) -> None:
    project.write_stage()
    protocol = load_protocol("small")
    one, two = (expand(protocol, digest, ("scripted",)) for digest in (DIGEST, "cd" * 32))
    assert not {a.id for a in one} & {a.id for a in two}
    assert not {a.seed for a in one} & {a.seed for a in two}
