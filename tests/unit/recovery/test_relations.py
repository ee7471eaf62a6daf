"""The relations of invariants, globs, and what a layer changes beside what is allowed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry
from tasks.recovery.contract import Scope
from verifiers.recovery.change import changed_between, minimality
from verifiers.recovery.equivalence import holds, mostly_lost
from verifiers.recovery.globs import matches

ROWS = st.lists(st.tuples(st.integers(0, 5), st.text("ab", max_size=2)).map(list), max_size=6)


@given(ROWS, ROWS)
def test_a_superset_keeps_every_row_as_often_as_it_was(original: list[object], added: list[object]) -> None:
    assert holds("superset", original, [*added, *original])[0]
    assert holds("same_set", original, list(reversed(original)))[0]
    if original:
        right, why = holds("superset", original, original[1:])
        assert not right and "1 lost" in why
    if added:
        assert not holds("same_set", original, [*original, *added])[0]


def test_a_changed_value_is_a_loss_though_the_count_is_right() -> None:
    right, why = holds("superset", [[1, 10], [2, 20]], [[1, 10], [2, 21]])
    assert not right and "[2,20]" in why


def test_a_double_row_is_no_superset_of_two_rows() -> None:
    assert not holds("superset", [[1], [2]], [[1], [1]])[0]


@pytest.mark.parametrize(
    ("original", "found", "right"),
    [
        ("ab", "abc", True), ("ab", "b", False), ([1, 2], [1, 2, 3], True), ([1, 2], [2, 1], False),
        ({"log": "a"}, {"log": "ab", "more": ""}, True), ({"log": "a"}, {}, False), ("a", None, False),
    ],
)  # fmt: skip
def test_a_prefix_may_grow_and_nothing_else(original: object, found: object, right: bool) -> None:
    assert holds("prefix", original, found)[0] is right


def test_most_is_more_than_half() -> None:
    assert not mostly_lost([1, 2, 3, 4], [1, 2])
    assert mostly_lost([1, 2, 3, 4], [1])
    assert mostly_lost([1, 2, 3], None)
    assert not mostly_lost([], [])


@pytest.mark.parametrize(
    ("path", "glob", "right"),
    [
        ("etc/conf.d/a.json", "etc/conf.d/**", True), ("etc/conf.d", "etc/conf.d/**", True),
        ("etc/conf.dx", "etc/conf.d/**", False), ("data/u.db-wal", "data/u.db*", True),
        ("data/x/u.db", "data/u.db*", False), ("data/spool", "data/spool", True), ("a/b/c", "a/*", False),
        ("a/b\nc", "a/**", True),
    ],
)  # fmt: skip
def test_globs(path: str, glob: str, right: bool) -> None:
    assert matches(path, [glob]) is right


def _layer(*paths: str) -> Layer:
    return Layer({path: Entry("file", 0o644, "0" * 64, 1) for path in paths})


def test_minimal_change_is_one_a_half_or_nothing() -> None:
    scope = Scope(allow=["etc/a.json", "out/**"])
    assert minimality(_layer("etc/a.json", "run/x", "out/new/file"), scope, {}) == 1.0
    assert minimality(_layer("etc/a.json", "notes.txt"), scope, {}) == 0.5
    assert minimality(_layer("etc/a.json", "services/s.py"), scope, {}) == 0.0


def test_changes_between_two_layers_are_both_ways() -> None:
    assert changed_between(_layer("a", "b").manifest, _layer("b", "c").manifest) == ["a", "c"]
