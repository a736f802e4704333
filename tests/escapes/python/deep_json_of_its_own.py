# mechanism: JSON of its own
# kind: deep
# ends: error

import json
class A: pass
json.dumps(A(), default=lambda x: [x])
