cat etc/intake.json data/raw/README; ls data
---
sed -i s/thousandths/hundredths/ etc/intake.json; init.d/intake restart
python3 -c "import sqlite3; s = sqlite3.connect('data/readings.db', timeout=3); s.execute('UPDATE readings SET degrees = degrees * 10 WHERE id BETWEEN 33 AND 60'); s.commit()"
