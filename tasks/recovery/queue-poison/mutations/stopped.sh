sed -i 's/"retry"/"dlq"/' etc/worker.json
---
init.d/pipeline stop
