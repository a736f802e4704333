# mechanism: interned strings
# kind: memory
# ends: error soft

import sys
x = []
while True: x.append(sys.intern('x' * 100_000 + str(len(x))))
