sed -i 's/"index_at_start": false/"index_at_start": true/' etc/search.json
