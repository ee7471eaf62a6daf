rm etc/limits.d/70-freeze.json; init.d/gateway restart; sed -i /spare-3/d data/banned.txt
