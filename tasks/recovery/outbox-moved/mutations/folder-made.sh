mkdir data/office-2; sleep 0.3
