rm etc/api.d/40-strict.json; init.d/api start; printf "store\napi\n" > etc/boot-order
