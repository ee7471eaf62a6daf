mv data/inbox/0030.json data/archive/; rm etc/routes.d/60-move.json
---
sed -i 's/"private": false/"private": true/' etc/routes.d/10-base.json; init.d/courier restart; sleep 0.3
