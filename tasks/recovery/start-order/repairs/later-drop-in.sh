cat etc/boot-order; cat etc/api.d/*
---
echo '{"connect": "when-needed"}' > etc/api.d/90-later.json; init.d/api start
