rm etc/keeper.d/50-trial.json; for d in $(seq 131 157); do mv data/retired/00$d.json data/records/; done; init.d/keeper restart
