init.d/clockwork stop
---
for f in data/orders/*.json; do echo '{"job": "total", "result": 0}' > data/done/$(basename $f); mv $f data/kept/; done
---
rm etc/jobs.d/70-holiday.json; init.d/clockwork start
