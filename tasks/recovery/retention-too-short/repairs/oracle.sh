init.d/keeper status; tail -n 2 log/keeper.log; head etc/keeper.d/*; cat data/erased.txt; ls data/records data/retired | head -n 80
---
sed -n '10,35p' services/keeper.py
---
rm etc/keeper.d/50-trial.json; for d in $(seq 131 157); do grep -q "^00$d$" data/erased.txt || mv data/retired/00$d.json data/records/; done; init.d/keeper restart
---
python3 lib/ask.py run/keeper.sock '{"op": "get", "day": 133}'; python3 lib/ask.py run/keeper.sock '{"op": "get", "day": 151}'; ls data/records | wc -l
