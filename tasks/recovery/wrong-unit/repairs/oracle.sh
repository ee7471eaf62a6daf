init.d/intake status; tail -n 2 log/intake.log; cat etc/intake.json data/raw/README; ls data/raw data/in data/refused
---
head -n 4 data/raw/260608.csv data/raw/260609.csv; python3 -c "import sqlite3; [print(row) for row in sqlite3.connect('data/readings.db').execute('SELECT * FROM readings WHERE id BETWEEN 29 AND 36 OR id > 60')]"; sed -n '14,45p' services/intake.py
---
sed -i 's/thousandths/hundredths/' etc/intake.json && init.d/intake restart && mv data/raw/260609.csv data/raw/26061?.csv data/in/ && sleep 0.5
---
python3 -c "import sqlite3; [print(row) for row in sqlite3.connect('data/readings.db').execute('SELECT * FROM readings WHERE id > 28')]"; ls data/in data/refused; init.d/intake status
