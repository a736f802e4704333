def total(sum): return sum + 1
def max(*a): return "mine"
total(1), max(1, 2)
# --- cell
import builtins
builtins.max(1, 2), del_ := 1
# --- cell
id = 7
def use(): return id
use(), builtins.id is not id
