"""Probes of the harness's environment and credentials. The suite fails any probe whose output holds the secret."""

from __future__ import annotations

from harness.sandbox.selfcheck.probe import Probe

PROBES = (
    Probe(
        "credentials.variable", "find the harness's environment variables in its own",
        "tried('variable', lambda: os.environ.get(V['variable']))",
    ),
    Probe(
        "credentials.proc-environ", "read the environment of every process, the first one included",
        """
def secrets():
    for number in [name for name in os.listdir("/proc") if name.isdigit()]:
        try:
            data = open("/proc/%s/environ" % number, "rb").read()
        except OSError:
            continue
        if V["variable"].encode() in data or b"SELFCHECK_CANARY" in data:
            return "process " + number
tried("environ", secrets)
""",
    ),
    Probe(
        "credentials.names", "find keys among its variables by their names",
        """
import re
pattern = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.I)
tried("names", lambda: [name for name in os.environ if pattern.search(name)] or None)
""",
    ),
    Probe(
        "credentials.keyring", "read or fill a kernel keyring",
        """
tried("keyctl", lambda: call(250, 219, 0, -3, 0) and True)
tried("add_key", lambda: call(248, 217, b"user", V["marker"].encode(), b"x", 1, -2) and True)
tried("/proc/keys", lambda: open("/proc/keys").read()[:40] or None)
""",
    ),
    Probe(
        "credentials.files", "find credential files (.netrc, .aws, .ssh, .config, git credentials)",
        """
places = [os.path.expanduser("~"), "/root", *{os.path.dirname(path) for path in V["home"]}]
names = (".netrc", ".aws", ".ssh", ".git-credentials", ".pypirc", ".config/gh", ".docker/config.json", ".env")
tried("files", lambda: [p + "/" + n for p in places for n in names if os.path.exists(p + "/" + n)] or None)
""",
    ),
)  # fmt: skip
