rm data/inbox/*.json etc/routes.d/60-move.json; init.d/courier restart
