# mechanism: struct
# kind: memory
# ends: error

import struct
struct.pack('999999999x')
