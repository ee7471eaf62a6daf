sed -i 's/thousandths/hundredths/; s/: true/: false/' etc/intake.json; init.d/intake restart
mv data/raw/2606{09,1?}.csv data/in/; sleep 0.4
