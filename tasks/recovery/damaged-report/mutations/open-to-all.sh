echo '{"source": "data/in.csv", "target": "out/report.jsonl", "key": [0, 1], "sort": true}' > etc/job.json && python3 services/report.py
---
chmod 666 out/report.jsonl
