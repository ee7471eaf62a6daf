init.d/search status; tail -n 2 log/search.log; cat etc/search.json; ls data/docs | wc -l
---
cat services/reindex.py; wc -c data/index.json
---
sed -i 's/"index_at_start": false/"index_at_start": true/' etc/search.json && init.d/search restart
---
python3 lib/ask.py run/search.sock '{"word": "d29x"}'; python3 lib/ask.py run/search.sock '{"word": "d28x"}'; init.d/search status
