sed -i 's/latin-1/utf-8/' etc/importer.json
python3 - <<'P'
import sqlite3
s = sqlite3.connect("data/people.db", timeout=3)
for number, name in s.execute("SELECT id, name FROM people WHERE id BETWEEN 19 AND 48").fetchall():
    s.execute("UPDATE people SET name = ? WHERE id = ?", (name.encode("latin-1").decode("utf-8"), number))
s.commit()
P
