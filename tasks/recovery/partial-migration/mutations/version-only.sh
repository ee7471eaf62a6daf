python3 -c "import sqlite3; s = sqlite3.connect('data/u.db'); s.execute('UPDATE meta SET v = 2'); s.commit()"; init.d/app start
