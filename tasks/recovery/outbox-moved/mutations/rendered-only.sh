sed -i 's/office-2/office/' run/courier.json; sleep 0.3
