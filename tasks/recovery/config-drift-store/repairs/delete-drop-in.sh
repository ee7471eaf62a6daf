cat etc/conf.d/*.json; ls -l data
---
rm etc/conf.d/50-site.json
---
init.d/orders start
