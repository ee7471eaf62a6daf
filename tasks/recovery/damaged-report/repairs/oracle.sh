init.d/scheduler status; cat etc/schedule.json etc/job.json; tail -n 3 log/scheduler.log
---
wc -l data/in.csv out/report.jsonl; sort data/in.csv | head -n 4; head -n 4 out/report.jsonl
---
sed -n '1,40p' services/report.py
---
sed -i -e 's/"sort": false/"sort": true/' -e 's/^  0$/  0, 1/' etc/job.json && cat etc/job.json && python3 services/report.py
---
wc -l data/in.csv out/report.jsonl; head -n 4 out/report.jsonl; init.d/scheduler status
