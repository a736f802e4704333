# mechanism: JSON read, objects
# kind: deep
# ends: error

import json
json.loads('{"a":' * 100_000)
