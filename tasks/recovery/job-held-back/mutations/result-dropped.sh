rm etc/jobs.d/70-holiday.json; init.d/clockwork restart; rm data/done/002.json
