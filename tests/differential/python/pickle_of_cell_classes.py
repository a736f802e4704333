import pickle

class Account:
    def __init__(self, owner):
        self.owner = owner

    def __eq__(self, other):
        return self.owner == other.owner

    def __repr__(self):
        return f"Account({self.owner!r})"

def helper(x):
    return x + 1
# --- cell
again = pickle.loads(pickle.dumps([Account("ann"), helper]))
again[0], again[1](4), again[1] is helper
# --- cell
class Stateful(Account):
    def __getstate__(self):
        return {"o": self.owner}

    def __setstate__(self, state):
        self.owner = state["o"] + "!"

pickle.loads(pickle.dumps(Stateful("bob")))
# --- cell
def unreachable():
    class Local: pass
    return Local()
pickle.dumps(unreachable())
# --- cell
import copy
one = [Account("x"), [1, [2]]]
two = copy.deepcopy(one)
two[1][1].append(3)
one, two, copy.copy(one)[1] is one[1]
