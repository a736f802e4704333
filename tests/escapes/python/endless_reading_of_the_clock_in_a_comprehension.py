# mechanism: reading of the clock in a comprehension
# kind: endless
# ends: soft

import time
[time.monotonic() for _ in iter(int, 1)]
