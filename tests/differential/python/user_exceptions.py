class Mine(Exception):
    def __init__(self, code, *args):
        super().__init__(code, *args)
        self.code = code

    def __str__(self):
        return f"code {self.code}"

raise Mine(7, "more")
# --- cell
try:
    raise Mine
except TypeError as e:
    print(e)
# --- cell
repr(Mine(1)), str(Mine(2)), Mine(3).args
# --- cell
class Outer:
    class Inner(KeyError):
        pass

raise Outer.Inner("k")
