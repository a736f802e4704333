# mechanism: maximum without end
# kind: endless
# ends: soft hard

import itertools
max(itertools.repeat(1))
