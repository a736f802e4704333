# mechanism: output held back
# kind: memory
# ends: error soft

import io, contextlib
b = io.StringIO()
with contextlib.redirect_stdout(b):
  while True: print('x' * 100_000)
