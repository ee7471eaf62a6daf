init.d/tickets stop; echo '{}' > etc/tickets.json; echo 62 > data/next
