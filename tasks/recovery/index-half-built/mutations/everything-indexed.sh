echo '{"index_at_start": true, "skip_confidential": false}' > etc/search.json; init.d/search restart
