# mechanism: random bits
# kind: memory
# ends: error

import random
random.getrandbits(1 << 33)
