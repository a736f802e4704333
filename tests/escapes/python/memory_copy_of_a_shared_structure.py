# mechanism: copy of a shared structure
# kind: memory
# ends: soft hard error

import copy
x = 1
for _ in range(60): x = (x, [x])
len(str(x))
