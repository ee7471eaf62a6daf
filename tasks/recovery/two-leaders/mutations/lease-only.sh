sed -i s/orders-b/orders/ etc/b.json; init.d/b restart
