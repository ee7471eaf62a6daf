chmod 700 data/spool; rm -r data/spool; mkdir data/spool
---
sed -i 's/"0500"/"0750"/' etc/tmpfiles.json && init.d/spooler restart
