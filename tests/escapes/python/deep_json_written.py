# mechanism: JSON written
# kind: deep
# ends: error

import json
x = []
for _ in range(10**5): x = [x]
json.dumps(x)
