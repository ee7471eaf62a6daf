"""Turns the script of a probe into a command for a sandbox."""

from __future__ import annotations

import json
from typing import Any

_PRELUDE = '''
import ctypes, errno, os, platform, signal, socket, stat, struct, sys, time
V = __VALUES__
def say(word, text=""):
    sys.stdout.write(V["nonce"] + " " + word + " " + str(text).replace("\\n", " ")[:300] + "\\n")
    sys.stdout.flush()
def tried(name, function):
    try:
        seen = function()
    except OSError as error:
        say("refused", "%s: %s" % (name, error.strerror or error))
        return
    if seen is None or seen is False:
        say("refused", name + ": none found")
    else:
        say("through", name if seen is True else "%s: %r" % (name, seen))
libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
def call(x86, arm, *arguments):
    """System call by its number on either machine."""
    ctypes.set_errno(0)
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(x86 if X86 else arm), *words)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
'''
_END = "END_OF_PROBE"


def command(script: str, values: dict[str, Any]) -> str:
    """A shell command that runs ``script`` in the sandbox's Python, with ``values`` as ``V``."""
    prelude = _PRELUDE.replace("__VALUES__", f"__import__('json').loads({json.dumps(values)!r})")
    return f"python3 -I -S - <<'{_END}'\n{prelude}\n{script}\nsay('end')\n{_END}"
