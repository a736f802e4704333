# mechanism: suppress
# kind: endless
# ends: hard

import contextlib
while True:
  with contextlib.suppress(BaseException):
    while True: pass
