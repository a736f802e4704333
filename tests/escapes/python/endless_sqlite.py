# mechanism: sqlite
# kind: endless
# ends: soft

import sqlite3
c = sqlite3.connect(':memory:')
while True: c.execute('select 1').fetchall()
