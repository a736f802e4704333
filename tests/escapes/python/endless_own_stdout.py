# mechanism: own stdout
# kind: endless
# ends: soft

import sys
class O:
  def write(self, t):
    while True: pass
sys.stdout = O()
print(1)
