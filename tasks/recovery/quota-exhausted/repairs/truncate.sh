du -b data/*; cat etc/recorder.json
---
: > data/debug.log; echo '{"debug": false}' > etc/recorder.json; init.d/recorder reload
