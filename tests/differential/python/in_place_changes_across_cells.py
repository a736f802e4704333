data = {"rows": []}
def add(**row):
    data["rows"].append(row)
    return len(data["rows"])
add(a=1), add(b=2)
# --- cell
alias = data["rows"]
alias.reverse()
data
# --- cell
import copy
backup = copy.deepcopy(data)
data["rows"].clear()
len(alias), backup
# --- cell
data = backup
add(c=3), data is backup, alias
