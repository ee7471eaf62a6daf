chmod 0750 data/spool; sleep 0.2; ls -la data/spool
