sed -i 's/"0500"/"0750"/' etc/tmpfiles.json
