# mechanism: factorial
# kind: endless
# ends: soft hard

import math
math.factorial(10 ** 8)
