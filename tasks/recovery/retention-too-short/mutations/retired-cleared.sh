rm data/retired/*.json etc/keeper.d/50-trial.json; init.d/keeper restart
