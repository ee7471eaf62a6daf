for n in $(seq 13 30); do rm data/docs/0$n.txt; done
---
sed -i 's/"index_at_start": false/"index_at_start": true/' etc/search.json && init.d/search restart
