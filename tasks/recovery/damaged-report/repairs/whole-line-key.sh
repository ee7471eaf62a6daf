cat etc/job.json; wc -l data/in.csv out/report.jsonl
---
echo '{"source": "data/in.csv", "target": "out/report.jsonl", "key": [0, 1, 2], "sort": true}' > etc/job.json
---
touch run/report.now; sleep 0.5; wc -l out/report.jsonl
