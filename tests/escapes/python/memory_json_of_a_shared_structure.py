# mechanism: JSON of a shared structure
# kind: memory
# ends: soft hard error

import json
x = []
for _ in range(60): x = [x, x]
json.dumps(x)
