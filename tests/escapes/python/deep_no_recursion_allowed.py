# mechanism: no recursion allowed
# kind: deep
# ends: value error stack crash memory

import sys
try: sys.setrecursionlimit(1)
finally: pass
