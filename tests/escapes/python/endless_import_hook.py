# mechanism: import hook
# kind: endless
# ends: soft

import sys
class F:
  def find_spec(*a):
    while True: pass
sys.meta_path.insert(0, F)
try: import nothing_at_all
finally: sys.meta_path.remove(F)
