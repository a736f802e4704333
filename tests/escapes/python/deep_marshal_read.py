# mechanism: marshal read
# kind: deep
# ends: error

import marshal
marshal.loads(b'[\x01\x00\x00\x00' * 100_000)
