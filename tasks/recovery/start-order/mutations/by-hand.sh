init.d/store status; init.d/api start
