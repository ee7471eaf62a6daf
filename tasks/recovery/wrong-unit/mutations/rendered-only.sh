sed -i s/thousandths/hundredths/ run/intake.json
mv data/raw/2606{09,1?}.csv data/in/; sleep 0.4
