# mechanism: import in import
# kind: deep
# ends: error

import sys
class F:
  def find_spec(self, name, *a): __import__(name + 'x')
sys.meta_path.insert(0, F())
try: import qqq
finally: del sys.meta_path[0]
