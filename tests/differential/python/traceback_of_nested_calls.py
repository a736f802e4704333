def outer(rows):
    return [inner(row) for row in rows]

def inner(row):
    key = "missing"
    return row[key]
# --- cell
outer([{"missing": 1},
       {}])
