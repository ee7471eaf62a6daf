"""Builds the broken state: keys k1 and k2 in the ring, k0 revoked, k1 alone trusted."""

import hashlib
import json
import sys
from pathlib import Path

root = Path(sys.argv[1])
ring = root / "etc" / "keyring"
(ring / "revoked").mkdir(parents=True)
for kid, folder in (("k0", ring / "revoked"), ("k1", ring), ("k2", ring)):
    path = folder / f"{kid}.key"
    path.write_text(hashlib.sha256(f"ring {kid}".encode()).hexdigest() + "\n")
    path.chmod(0o600)
settings = {"trusted": ["k1"], "enforce": True, "allow_unsigned": False, "check_exp": True}
(root / "etc" / "trust.json").write_text(json.dumps(settings, indent=1) + "\n")
(root / "log").mkdir()
(root / "run").mkdir()
refused = ["refused: unknown kid k2"] * 14 + ["refused: expired"] + ["refused: unknown kid k2"] * 9
(root / "log" / "gate.log").write_text("\n".join(refused) + "\n")
