# mechanism: copy
# kind: deep
# ends: error

import copy
x = []
for _ in range(10**5): x = [x]
copy.deepcopy(x)
