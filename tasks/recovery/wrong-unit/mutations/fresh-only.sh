sed -i s/thousandths/hundredths/ etc/intake.json; init.d/intake restart
