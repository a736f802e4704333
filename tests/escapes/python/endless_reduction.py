# mechanism: reduction
# kind: endless
# ends: soft

import functools
functools.reduce(lambda a, b: b, iter(lambda: 1, 2))
