rm data/lock; init.d/ledger start
