# mechanism: compression
# kind: endless
# ends: soft hard

import zlib
while True: zlib.compress(bytes(60_000_000), 9)
