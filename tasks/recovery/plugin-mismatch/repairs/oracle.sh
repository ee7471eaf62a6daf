init.d/labels status; tail -n 2 log/labels.log data/history.log; cat etc/plugin.json etc/trusted.json
---
cat plugins/label_v1.py plugins/label_v2.py; sha256sum plugins/*.py; sed -n '18,48p' services/labels.py
---
sed -i 's/label_v2/label_v1/' etc/plugin.json && init.d/labels restart
---
python3 lib/ask.py run/labels.sock '{"op": "label", "name": "oats", "grams": 1250}'; init.d/labels status
