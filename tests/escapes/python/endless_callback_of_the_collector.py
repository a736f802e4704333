# mechanism: callback of the collector
# kind: endless
# ends: soft hard

import gc
def f(*_):
  while True: pass
gc.callbacks.append(f)
gc.collect()
