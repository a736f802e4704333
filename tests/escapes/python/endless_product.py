# mechanism: product
# kind: endless
# ends: soft hard

import itertools
sum(1 for _ in itertools.product(range(99), repeat=9))
