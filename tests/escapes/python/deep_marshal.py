# mechanism: marshal
# kind: deep
# ends: error

import marshal
x = []
for _ in range(10**5): x = [x]
marshal.dumps(x)
