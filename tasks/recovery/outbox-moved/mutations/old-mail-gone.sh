rm etc/routes.d/60-move.json; init.d/courier restart; rm data/office/0003.json; sleep 0.3
