rm etc/routes.d/60-move.json; init.d/courier restart; mv data/inbox/0030.json data/hall/; sleep 0.3
