"""Every failure known from other harnesses (tests/faults/known_failures/cases.csv) has a test that bears its id."""

from __future__ import annotations

import ast
import csv
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
PROJECT = TESTS.parent
with open(TESTS / "faults" / "known_failures" / "cases.csv", newline="", encoding="utf-8") as stream:
    CASES = list(csv.DictReader(stream))


def ids_of(name: str) -> set[str]:
    """Ids at the beginning of a test's name: ``test_t13_t16_a_box_...`` has two."""
    found = re.match(r"test((?:_t\d\d)+)_", name, re.IGNORECASE)
    return set(found[1].upper().split("_")[1:]) if found else set()


TESTED = {
    one
    for path in sorted(TESTS.rglob("test_*.py"))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.FunctionDef)
    for one in ids_of(node.name)
}


def test_names_give_their_ids() -> None:
    assert ids_of("test_T13_t16_a_box") == {"T13", "T16"}
    assert ids_of("test_t02_x") == {"T02"}
    assert ids_of("test_two") == ids_of("test_t2_x") == ids_of("t02_x") == set()


def test_the_table_is_whole() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES) == 54
    assert {case["where"] for case in CASES} == {"docker", "everywhere"}
    assert all(re.fullmatch(r"T\d\d", case["id"]) and case["title"] for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_case_has_a_test(case: dict[str, str]) -> None:
    if case["where"] == "docker" and not (PROJECT / "harness" / "sandbox" / "docker").is_dir():
        pytest.skip("comes with the Docker sandbox")
    assert case["id"] in TESTED, f"no test named test_{case['id'].lower()}_...: {case['title']}"


def test_no_test_bears_an_id_that_the_table_lacks() -> None:
    assert TESTED - {case["id"] for case in CASES} == set()
