rm etc/routes.d/60-move.json; init.d/courier stop; mv data/inbox/0030.json data/hall/; init.d/courier start; sleep 0.3
