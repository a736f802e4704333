# mechanism: random bytes
# kind: memory
# ends: error

import random
random.randbytes(1 << 30)
