cat etc/keeper.d/* data/erased.txt
---
echo '{"keep": 30}' > etc/keeper.d/50-trial.json
for d in $(seq 132 157); do case $d in 139|151) ;; *) cp data/retired/00$d.json data/records/ ;; esac; done
init.d/keeper restart
