"""The courier: carries messages from data/inbox to the outbox of their address, as etc/routes.d says."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log, merged, runtime

INBOX = ROOT / "data" / "inbox"


def carry(name, routes, complained):
    """Carries one message; whether it went."""
    try:
        message = json.loads((INBOX / name).read_text())
    except (FileNotFoundError, ValueError):  # taken away, or still being written
        return False
    route = routes.get(message["to"])
    folder = ROOT / route["folder"] if route else None
    if folder is None or not folder.is_dir():
        if name not in complained:
            complained.add(name)
            log("courier", f"{name}: no folder {route['folder']}" if route else f"{name}: no route to {message['to']}")
        return False
    if message.get("private") and not route.get("private"):
        if name not in complained:
            complained.add(name)
            log("courier", f"{name}: {message['to']} takes no private messages")
        return False
    os.rename(INBOX / name, folder / name)
    return True


def serve(service):
    complained = set()
    service.ready()
    while True:
        routes = runtime("courier")
        names = [name for name in sorted(os.listdir(INBOX)) if name.endswith(".json")]
        if not sum(carry(name, routes, complained) for name in names):
            time.sleep(0.03)


Service("courier", lambda: merged("etc/routes.d"), serve).main()
