"""Certificates: methods that say, with error alpha over a family of M comparisons, which action is better.

One file per method. Each is valid for some designs of the arms, and refuses the others with the reason.
"""

from __future__ import annotations

from analysis.certificates import betting, boschloo, clopper_pearson, fisher, paired_sign, weak_sign
from analysis.certificates.method import CONTINUE, RESTART, UNRESOLVED, Method, Ruling, check
from analysis.errors import InputError

METHODS: dict[str, Method] = {
    module.NAME: module for module in (clopper_pearson, weak_sign, fisher, boschloo, paired_sign, betting)
}


def method(name: str) -> Method:
    """The method of that name.

    Raises:
        InputError: no such method.
    """
    if name not in METHODS:
        raise InputError(f"unknown method {name!r}", file="--method", mend=f"use one of {', '.join(METHODS)}")
    return METHODS[name]


__all__ = ["CONTINUE", "METHODS", "RESTART", "UNRESOLVED", "Method", "Ruling", "check", "method"]
