init.d/clockwork stop; rm etc/jobs.d/70-holiday.json
