echo '{"db": "data/orders.db", "read_only": true}' > etc/conf.d/50-site.json
---
init.d/orders start
