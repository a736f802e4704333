# mechanism: statistics
# kind: endless
# ends: soft hard

import statistics
statistics.median(x % 7919 for x in range(10 ** 9))
