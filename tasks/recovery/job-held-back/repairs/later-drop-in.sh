head etc/jobs.d/*.json; ls data/orders
---
echo '{"total": {"does": "sum", "at_most": 1000}}' > etc/jobs.d/80-totals.json; init.d/clockwork restart
