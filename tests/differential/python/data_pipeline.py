rows = [line.split(",") for line in """name,qty,price
pen,10,1.5
book,2,12.25
pen,5,1.4""".splitlines()]
head, *body = rows
items = [dict(zip(head, r)) for r in body]
for it in items:
    it["total"] = int(it["qty"]) * float(it["price"])
items
# --- cell
from itertools import groupby
from operator import itemgetter
by = {k: sum(i["total"] for i in g) for k, g in groupby(sorted(items, key=itemgetter("name")), itemgetter("name"))}
by, max(by, key=by.get)
# --- cell
print(f"{'name':<6}|{'total':>8}")
for k, v in by.items():
    print(f"{k:<6}|{v:>8.2f}")
# --- cell
import json
json.dumps(items[:1]), json.loads(json.dumps(by)) == by
# --- cell
items[0]["missing"]
