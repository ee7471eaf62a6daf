rm data/lock; echo '{"lock": false}' > etc/ledger.json; init.d/ledger start
