# mechanism: counting without end
# kind: endless
# ends: soft hard

import collections, itertools
collections.deque(itertools.count(), maxlen=0)
