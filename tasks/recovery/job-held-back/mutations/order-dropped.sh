rm etc/jobs.d/70-holiday.json; init.d/clockwork restart; rm data/kept/002.json
