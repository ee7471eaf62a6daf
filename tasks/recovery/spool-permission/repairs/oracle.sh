init.d/spooler status; tail -n 3 log/spooler.log; id -u
---
ls -la data data/spool data/inbox etc; cat etc/tmpfiles.json
---
sed -n '12,40p' services/spooler.py
---
sed -i 's/"0500"/"0750"/' etc/tmpfiles.json && init.d/spooler restart
---
sleep 0.2; ls -la data/spool data/inbox; init.d/spooler status
