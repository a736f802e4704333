# mechanism: collector off
# kind: end
# ends: value error crash

import gc
gc.disable()
gc.freeze()
gc.set_threshold(1)
