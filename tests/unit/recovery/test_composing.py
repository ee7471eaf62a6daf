"""Pairs of failed patches: what goes together, and in which order; content is merged here by a function of the test."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.branches import source_pairs
from harness.canonical import digest_bytes
from harness.recovery.composing import compose, ranked
from harness.recovery.merging import Triple, united, wanted
from harness.recovery.sources import Source
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry

BASE = {
    "pkg": Entry("directory", 0o755),
    "pkg/a.py": Entry("file", 0o644, "0" * 64, 1),
    "pkg/b.py": Entry("file", 0o644, "1" * 64, 1),
}


def file(text: str, mode: int = 0o644) -> Entry:
    return Entry("file", mode, digest_bytes(text.encode()), len(text))


def source(number: int, **changes: Entry) -> Source:
    """A source that changes ``pkg/NAME.py``."""
    layer = Layer({f"pkg/{name}.py": entry for name, entry in sorted(changes.items())})
    return Source(f"{number:064x}", "baseline", number, layer)


def never(triples: Sequence[Triple]) -> dict[Triple, bytes]:
    return {}


def joined(triples: Sequence[Triple]) -> dict[Triple, bytes]:
    return {triple: "".join(sorted((triple.left, triple.right))).encode() for triple in triples}


def test_162_pairs_from_38_sources_of_37_contents() -> None:
    split, pairs, contents = (10, 10, 9, 9), 0, 0
    for task, count in enumerate(split):
        made = [source(n, **{f"new{n}": file(str(n))}) for n in range(count)]
        if task == 0:
            made[1] = Source(made[1].attempt, "rejuvenation", 1, made[0].layer)
        found = compose(made, BASE, never)
        pairs += len(found.pairs)
        contents += len({one.layer.digest for one in made})
        assert len(found.pairs) == comb(count, 2)
        outcomes = {pair.outcome for pair in found.pairs}
        assert outcomes == ({"novel", "equals_source", "equals_composite"} if task == 0 else {"novel"})
    assert (pairs, contents, sum(split)) == (162, 37, 38)
    assert pairs == source_pairs(split)


def test_what_one_side_alone_changed_is_taken() -> None:
    left, right = source(1, a=file("x"), new=file("n")), source(2, b=Entry("whiteout"))
    found = united(left.layer, right.layer, BASE, {})
    assert found is not None
    assert dict(found[0].manifest) == {**left.layer.manifest, **right.layer.manifest}
    assert list(found[0].manifest) == sorted(found[0].manifest)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": Entry("whiteout")}, {"a": file("x")}),
        ({"new": file("x")}, {"new": file("y")}),
        ({"a": file("x", 0o755)}, {"a": file("x", 0o600)}),
        ({"sub": file("x")}, {"sub.py/deep": file("y")}),
        ({"a": file("x")}, {"a": file("y")}),
    ],
    ids=["changed and deleted", "added twice", "two modes", "file and folder", "content"],
)
def test_conflicts_have_no_union(left: dict[str, Entry], right: dict[str, Entry]) -> None:
    one, other = source(1, **left), source(2, **right)
    for first, second in ((one, other), (other, one)):
        assert united(first.layer, second.layer, BASE, {}) is None
        (pair,) = compose([first, second], BASE, never).pairs
        assert (pair.outcome, pair.layer, pair.rank) == ("conflict", None, None)


def test_modes_merge_beside_content() -> None:
    left, right = source(1, a=Entry("file", 0o755, "0" * 64, 1)), source(2, a=file("x"))
    assert wanted(left.layer.manifest, right.layer.manifest, BASE) == []
    found = united(left.layer, right.layer, BASE, {})
    assert found is not None
    assert found[0].manifest["pkg/a.py"] == file("x", 0o755)


def test_a_merge_that_undoes_a_change_leaves_the_base() -> None:
    left, right = source(1, a=file("x")), source(2, a=file("y"))
    (triple,) = wanted(left.layer.manifest, right.layer.manifest, BASE)
    back = {"pkg/a.py": Entry("file", 0o644, digest_bytes(b"back"), 4)}
    merged = {Triple(digest_bytes(b"back"), *triple[1:]): b"back"}
    found = united(left.layer, right.layer, {"pkg": BASE["pkg"]} | back, merged)
    assert found is not None
    assert found[0].manifest == {}


def test_one_question_asks_for_all_merges() -> None:
    asked: list[Sequence[Triple]] = []

    def merge(triples: Sequence[Triple]) -> dict[Triple, bytes]:
        asked.append(triples)
        return joined(triples)

    found = compose([source(n, a=file(str(n))) for n in range(3)], BASE, merge)
    assert len(asked) == 1
    assert [pair.outcome for pair in found.pairs] == ["novel"] * 3
    assert len(found.contents) == 3


def test_small_unions_come_first_and_equal_ones_by_digest() -> None:
    composed = compose([source(n, **{f"new{n}": file(str(n))}) for n in range(4)], BASE, never)
    digests = sorted(composed.unions)
    lines = dict(zip(digests, (3, 1, 2, 1, 3, 9), strict=True))
    order = sorted((pair.rank, pair.layer) for pair in ranked(composed, lines).pairs if pair.rank)
    assert [digest for _, digest in order] == [digests[n] for n in (1, 3, 2, 0, 4, 5)]


names = st.sampled_from(["a", "b", "new"])
entries = st.one_of(st.just(Entry("whiteout")), st.builds(file, st.sampled_from("xyz")))


@given(st.lists(st.dictionaries(names, entries, min_size=1), min_size=2, max_size=5))
def test_unions_do_not_depend_on_the_order_of_sources(changes: list[dict[str, Entry]]) -> None:
    made = [source(n, **one) for n, one in enumerate(changes)]
    found, back = compose(made, BASE, joined), compose(made[::-1], BASE, joined)
    assert found.unions.keys() == back.unions.keys()
    assert sum(pair.outcome == "novel" for pair in found.pairs) == len(found.unions)
    known = {one.layer.digest for one in made}
    assert not known & found.unions.keys()
