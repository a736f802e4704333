# mechanism: JSON read
# kind: deep
# ends: error

import json
json.loads('[' * 100_000)
