"""Finds code that a repair has no use for and that can reach into a test run: a net of patterns, not a wall."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PATTERNS = {
    "ends the process": r"\bos\s*\.\s*(_exit|abort|kill|exec[lv]p?e?)\b|\bfrom\s+os\s+import\b.*\b(_exit|abort|kill)\b",
    "walks frames": (
        r"\b_getframe(modulename)?\b|\b_current_(frames|exceptions)\b"
        r"|\binspect\s*\.\s*(stack|currentframe|trace|getouterframes)\b"
        r"|\b(f_back|f_locals|f_globals|f_builtins|tb_frame|tb_next|gi_frame|cr_frame|ag_frame)\b"
        r"|\b__(traceback|closure|globals)__\b"
    ),
    "walks the heap": r"\bgc\s*\.\s*get_(objects|referrers|referents)\b|\b(import|from)\s+gc\b",
    "calls into C": r"\b(import|from)\s+(_?ctypes|cffi)\b",
    "hooks imports or tracing": (
        r"\bsys\s*\.\s*(meta_path|path_hooks|path|settrace|setprofile|modules|monitoring|excepthook)\b|\b__main__\b(?!['\"]\s*:)"
    ),
    "redefines equality": r"\b__(eq|ne|instancecheck|subclasscheck)__\b",
    "runs code from text": r"(?<![\w.])(eval|exec|compile|__import__)\s*\(|\b(importlib|marshal)\b",
    "reaches attributes by made-up names": r"\b(getattr|setattr|vars)\s*\(\s*(sys|os|gc|builtins|inspect)\b",
    "writes to open descriptors": r"\bos\s*\.\s*(write|fdopen|dup2?|pwrite|sendfile)\b|/(proc|dev)/(self/)?fd\b",
    "acts at the end or at a fork": r"\b(atexit|register_at_fork)\b",
    "rewrites builtins": r"\b(__builtins__|builtins)\b",
    "mentions a test runner": r"\b(pytest|unittest|_pytest|hidden_test|test_hidden)\b",
}
_REACHING = {detail: re.compile(pattern.encode()) for detail, pattern in _PATTERNS.items()}


def reaching_code(new: bytes, old: bytes) -> Iterator[str]:
    """What ``new`` does more often than ``old``, in words."""
    for detail, pattern in _REACHING.items():
        if sum(1 for _ in pattern.finditer(new)) > sum(1 for _ in pattern.finditer(old)):
            yield detail
