init.d/importer status; tail -n 2 log/importer.log; cat etc/importer.json; ls data/kept data/drop data/refused
---
head -n 3 data/kept/07.csv; python3 -c "import sqlite3; print(sqlite3.connect('data/people.db').execute('SELECT * FROM people WHERE id > 36').fetchall())"; sed -n '14,45p' services/importer.py
---
sed -i 's/latin-1/utf-8/' etc/importer.json && init.d/importer restart && cp data/kept/0[4-8].csv data/drop/ && sleep 0.5
---
python3 -c "import sqlite3; print(sqlite3.connect('data/people.db').execute('SELECT * FROM people WHERE id > 36').fetchall())"; ls data/drop data/refused; init.d/importer status
