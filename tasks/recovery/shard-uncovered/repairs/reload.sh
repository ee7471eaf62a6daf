cat etc/machines.txt
---
echo '{"mine": [2, 1, 0], "of": 4}' > etc/shards.json && init.d/shards reload && sleep 0.3
