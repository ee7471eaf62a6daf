sed -i 's/latin-1/utf-8/' run/importer.json
cp data/kept/0[4-8].csv data/drop/; sleep 0.4
