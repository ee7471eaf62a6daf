"""The system-call filter of the bubblewrap sandbox as a Docker seccomp profile: one list of refusals for both."""

from __future__ import annotations

import json
import platform
from functools import lru_cache

from harness.sandbox.seccomp import NAMESPACE_FLAGS, REFUSED, SOCKET_FAMILIES, TERMINAL_INJECTION, UNSUPPORTED

_ARCHITECTURES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_EPERM, _ENOSYS, _EOPNOTSUPP, _EAFNOSUPPORT = 1, 38, 95, 97


def _refuse(names: list[str], error: int, *arguments: dict[str, object]) -> dict[str, object]:
    return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": list(arguments)}


def _argument(index: int, op: str, value: int, second: int = 0) -> dict[str, object]:
    return {"index": index, "value": value, "valueTwo": second, "op": f"SCMP_CMP_{op}"}


@lru_cache(maxsize=1)
def profile() -> str:
    """The profile as JSON text, for ``--security-opt seccomp=``."""
    rules = [_refuse(list(REFUSED), _EPERM), _refuse(["clone3"], _ENOSYS), _refuse(list(UNSUPPORTED), _EOPNOTSUPP)]
    # One rule per refused family: libseccomp joins several conditions on one argument by "or".
    last = max(SOCKET_FAMILIES)
    for family in range(last):
        if family not in SOCKET_FAMILIES:
            rules.append(_refuse(["socket"], _EAFNOSUPPORT, _argument(0, "EQ", family)))
    rules.append(_refuse(["socket"], _EAFNOSUPPORT, _argument(0, "GT", last)))
    for bit in range(32):
        if NAMESPACE_FLAGS & (1 << bit):
            rules.append(_refuse(["clone"], _EPERM, _argument(0, "MASKED_EQ", 1 << bit, 1 << bit)))
    rules += [_refuse(["ioctl"], _EPERM, _argument(1, "EQ", code)) for code in TERMINAL_INJECTION]
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ALLOW",
            "architectures": [_ARCHITECTURES[platform.machine()]],
            "syscalls": rules,
        }
    )
