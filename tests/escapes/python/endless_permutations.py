# mechanism: permutations
# kind: endless
# ends: soft hard

import itertools
for _ in itertools.permutations(range(99)): pass
