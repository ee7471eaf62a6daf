rm etc/api.d/40-strict.json; init.d/api start
python3 -c "import sqlite3; s = sqlite3.connect('data/seats.db', timeout=3); s.execute('DELETE FROM seats WHERE seat = (SELECT min(seat) FROM seats)'); s.commit()"
