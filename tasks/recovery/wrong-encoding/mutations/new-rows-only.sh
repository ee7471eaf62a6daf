sed -i 's/latin-1/utf-8/' etc/importer.json; init.d/importer restart
