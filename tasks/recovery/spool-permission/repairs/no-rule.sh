ls -ld data/spool; cat etc/tmpfiles.json
---
echo '[{"path": "data/inbox", "mode": "0700"}]' > etc/tmpfiles.json; chmod 0700 data/spool
