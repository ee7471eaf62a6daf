init.d/recorder status; tail -n 2 log/recorder.log; python3 lib/ask.py run/recorder.sock '{"record": "test"}'
---
ls -l data; cat etc/platform.json etc/recorder.json
---
head -c 300 data/debug.log; echo; tail -n 2 data/audit.log data/rec.txt; sed -n '14,45p' services/recorder.py
---
rm data/debug.log && echo '{"debug": false}' > etc/recorder.json && init.d/recorder restart
---
python3 lib/ask.py run/recorder.sock '{"record": "test"}'; ls -l data; init.d/recorder status
