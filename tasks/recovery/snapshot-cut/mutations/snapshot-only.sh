cp data/snapshot.1.json data/snapshot.json; init.d/accounts start
