sed -i s/thousandths/hundredths/ etc/intake.json; init.d/intake restart
mv data/raw/2606{09,1?}.csv data/in/; sleep 0.4
rm data/raw/26060[1-4].csv
