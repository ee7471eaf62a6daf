rm data/orders/*.json; init.d/clockwork restart
