echo '{"db": "data/orders.db", "must_exist": true, "require_account": true}' > run/orders.json
---
init.d/orders respawn
