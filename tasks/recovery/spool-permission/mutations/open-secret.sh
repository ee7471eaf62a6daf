chmod -R u=rwX,go=rX etc; sed -i 's/"0500"/"0750"/' etc/tmpfiles.json && init.d/spooler restart
