cat etc/conf.d/*.json; ls -l data
---
ln -s orders.db data/orders-new.db && init.d/orders start
