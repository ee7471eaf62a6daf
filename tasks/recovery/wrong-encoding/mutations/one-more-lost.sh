sed -i 's/latin-1/utf-8/' etc/importer.json; init.d/importer restart
cp data/kept/0[4-8].csv data/drop/; sleep 0.4
python3 -c "import sqlite3; s = sqlite3.connect('data/people.db', timeout=3); s.execute('DELETE FROM people WHERE id = 30'); s.commit()"
