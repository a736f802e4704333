import sys
class Noisy:
    def __del__(self):
        print("del runs")
x = Noisy()
x = None
# --- cell
def hook(info): print("unraisable", type(info.exc_value).__name__)
sys.unraisablehook = hook
class Bad:
    def __del__(self): 1 / 0
b = Bad(); b = None
sys.unraisablehook = sys.__unraisablehook__
