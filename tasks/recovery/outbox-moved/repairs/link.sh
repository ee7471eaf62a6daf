head etc/routes.d/*.json; ls data/inbox
---
ln -s office data/office-2; sleep 0.3
