cp data/snapshot.1.json data/snapshot.json; : > data/journal.log
---
init.d/accounts start
