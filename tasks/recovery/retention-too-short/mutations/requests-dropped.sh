rm etc/keeper.d/50-trial.json; for d in $(seq 131 157); do grep -q "^00$d$" data/erased.txt || mv data/retired/00$d.json data/records/; done; init.d/keeper restart; : > data/erased.txt
