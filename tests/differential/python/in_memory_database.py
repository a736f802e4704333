import sqlite3
db = sqlite3.connect(":memory:")
db.executescript("create table t(id integer primary key, name text, n real); insert into t(name, n) values ('a', 1.5), ('b', null), ('é', 3)")
db.execute("select * from t order by id").fetchall(), db.execute("select sum(n), count(*), group_concat(name) from t").fetchone()
# --- cell
db.row_factory = sqlite3.Row
row = db.execute("select id as k, upper(name) u from t where id = ?", (1,)).fetchone()
dict(row), row["u"], row.keys()
# --- cell
db.create_function("twice", 1, lambda x: x * 2)
db.create_aggregate("joined", 1, type("J", (), {"__init__": lambda s: setattr(s, "p", []), "step": lambda s, v: s.p.append(v), "finalize": lambda s: "|".join(s.p)}))
tuple(db.execute("select twice(21), joined(name) from t").fetchone())
# --- cell
try:
    with db:
        db.execute("insert into t(name) values ('gone')")
        raise ValueError
except ValueError:
    pass
tuple(db.execute("select count(*) from t").fetchone()), db.in_transaction
# --- cell
db.execute("select * from missing")
# --- cell
db.execute("insert into t(id) values (1)")
# --- cell
list(map(tuple, db.execute("with recursive c(x) as (select 1 union all select x + 1 from c where x < 4) select x, x * x from c"))), tuple(db.execute("select json_extract('{\"a\": [1, 2]}', '$.a[1]')").fetchone())
