# mechanism: deque
# kind: memory
# ends: soft hard error

import collections
collections.deque([0] * (1 << 20)) * 1000
