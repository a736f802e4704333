# mechanism: exit in a finaliser and an error
# kind: end
# ends: error

import sys
class A:
  def __del__(self): sys.exit(1)
A()
1 / 0
