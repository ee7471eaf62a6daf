echo '{"concurrency": 4}' > etc/worker.d/99-local.json
