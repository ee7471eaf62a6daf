echo public > data/docs/013.txt
---
sed -i 's/"index_at_start": false/"index_at_start": true/' etc/search.json && printf 'public\nd13x\n' > data/docs/013.txt && init.d/search restart
