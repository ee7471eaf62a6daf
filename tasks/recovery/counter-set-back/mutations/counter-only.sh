echo 62 > data/next
