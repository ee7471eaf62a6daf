cat etc/search.json; cat services/reindex.py
---
echo '{"index_at_start": true}' > etc/search.json; python3 services/reindex.py; init.d/search reload
