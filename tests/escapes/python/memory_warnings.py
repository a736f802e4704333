# mechanism: warnings
# kind: memory
# ends: error soft

import warnings
while True: warnings.warn('x' * 100_000)
