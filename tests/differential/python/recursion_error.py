def down(n):
    return down(n + 1)

try:
    down(0)
except RecursionError as e:
    print(str(e).split(" in ")[0].split(" while ")[0])
# --- cell
import sys
old = sys.getrecursionlimit()
sys.setrecursionlimit(120)
try:
    down(0)
except RecursionError:
    print("again")
finally:
    sys.setrecursionlimit(old)
