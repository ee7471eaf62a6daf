sed -i 's/latin-1/utf-8/' etc/importer.json; init.d/importer restart
cp data/kept/0[4-8].csv data/drop/; sleep 0.4
rm data/kept/02.csv
