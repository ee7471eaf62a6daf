sed -i "s/in-place/atomic/; s/\"overdraft\": false/\"overdraft\": true/" etc/accounts.json; cp data/snapshot.1.json data/snapshot.json; init.d/accounts start
