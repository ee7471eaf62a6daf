init.d/courier status; tail -n 3 log/courier.log; ls data data/inbox
---
head -n 20 etc/routes.d/*.json; cat run/courier.json; sed -n '14,45p' services/courier.py
---
rm etc/routes.d/60-move.json && init.d/courier restart && sleep 0.3
---
ls data/inbox data/office | head -n 40; init.d/courier status
