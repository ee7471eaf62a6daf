head etc/limits.d/*; cat docs/limits.md
---
echo '{"lab": 5}' > etc/limits.d/70-freeze.json; init.d/gateway reload
