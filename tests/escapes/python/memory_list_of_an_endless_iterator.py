# mechanism: list of an endless iterator
# kind: memory
# ends: error soft

import itertools
list(itertools.repeat(1))
