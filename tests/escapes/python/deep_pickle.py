# mechanism: pickle
# kind: deep
# ends: error

import pickle
x = []
for _ in range(10**5): x = [x]
pickle.dumps(x)
