echo '{"db": "data/orders.db", "require_account": false}' > etc/conf.d/50-site.json && init.d/orders start
