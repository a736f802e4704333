# mechanism: pickle of its own
# kind: deep
# ends: error

import pickle
class A:
  def __reduce__(self): return A, (A(),)
pickle.dumps(A())
