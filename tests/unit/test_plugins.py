"""The names that come with the project are the ones that its factories know."""

from __future__ import annotations

import pytest

from harness import plugins
from harness.errors import InputError
from harness.sandbox.factory import make_sandbox
from harness.sandbox.tools import Tools
from verifiers import kinds


def test_built_in_verifiers_are_those_of_the_registry() -> None:
    assert set(plugins.BUILT_IN["verifiers"]) == set(kinds._BUILT_IN)


@pytest.mark.parametrize("kind", plugins.BUILT_IN["sandboxes"])
def test_built_in_sandboxes_need_no_package(kind: str) -> None:
    try:
        made = make_sandbox(kind, Tools(image="an-image"))
    except InputError as error:  # of the tools, or of an engine that is not there
        assert "unknown kind" not in error.what
    else:
        assert made.kind == kind


def test_what_nobody_offers_is_refused_with_the_near_name() -> None:
    with pytest.raises(InputError, match=r"did you mean 'docker'\? known: bubblewrap, docker"):
        make_sandbox("dokcer", Tools(image="an-image"))
    assert plugins.releases([("agents", "oracle"), ("sandboxes", "docker"), ("verifiers", "swebench")]) == {}
