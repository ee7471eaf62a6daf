sed -i 's/"k1"/"k1", "k2"/' run/gate.json; cat run/gate.json
