sed -i 's/"concurrency": 0/"concurrency": 4/' run/worker.json; cat run/worker.json
