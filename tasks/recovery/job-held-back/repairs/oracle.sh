init.d/clockwork status; tail -n 2 log/clockwork.log; head -n 20 etc/jobs.d/*.json; ls data/orders
---
date +%s; sed -n '14,45p' services/clockwork.py
---
rm etc/jobs.d/70-holiday.json && init.d/clockwork restart && sleep 0.2
---
ls data/orders; ls data/done | wc -l; init.d/clockwork status
