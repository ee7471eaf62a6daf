"""Builds the broken state: a drop-in routes the office to a folder that is not there."""

import json
import random
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(33)
for name in ("data", "data/inbox", "data/office", "data/archive", "data/hall", "log", "run"):
    (root / name).mkdir()


def put(folder, number, to, private=False):
    message = {"to": to, "text": f"{chance.random():.12f}"} | ({"private": True} if private else {})
    (root / "data" / folder / f"{number:04}.json").write_text(json.dumps(message) + "\n")


for number in range(1, 15):
    put("office", number, "office", private=number % 5 == 0)
for number in range(15, 22):
    put("hall", number, "hall")
for number in range(22, 30):
    put("inbox", number, "office", private=number == 25)
put("inbox", 30, "hall", private=True)  # the hall is read by everybody: it stays
routes = root / "etc" / "routes.d"
routes.mkdir()
routes.joinpath("10-base.json").write_text(json.dumps({
    "office": {"folder": "data/office", "private": True}, "hall": {"folder": "data/hall", "private": False}}, indent=1) + "\n")
routes.joinpath("60-move.json").write_text(json.dumps({"office": {"folder": "data/office-2", "private": True}}, indent=1) + "\n")
(root / "log" / "courier.log").write_text("0022.json: no folder data/office-2\n0030.json: hall takes no private messages\n")
