sed -i '$d' data/in.csv
---
echo '{"source": "data/in.csv", "target": "out/report.jsonl", "key": [0, 1], "sort": true}' > etc/job.json && python3 services/report.py
