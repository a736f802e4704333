# mechanism: array
# kind: memory
# ends: error

import array
array.array('d', bytes(8)) * (1 << 27)
