# mechanism: query without end
# kind: endless
# ends: soft hard

import sqlite3
c = sqlite3.connect(':memory:')
c.execute('with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) from t').fetchall()
