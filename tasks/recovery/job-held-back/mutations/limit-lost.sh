echo '{"total": {"does": "sum"}}' > etc/jobs.d/70-holiday.json; init.d/clockwork restart
