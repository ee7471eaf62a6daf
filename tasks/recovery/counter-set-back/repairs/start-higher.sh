cat etc/tickets.json; tail -n 1 data/given.log
---
echo '{"start_at": 62}' > etc/tickets.json; init.d/tickets restart; echo '{}' > etc/tickets.json
