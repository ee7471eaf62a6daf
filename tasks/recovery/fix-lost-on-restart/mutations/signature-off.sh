echo '{"concurrency": 4, "verify_sig": false}' > etc/worker.d/99-local.json && init.d/worker restart
