# mechanism: zip bomb
# kind: memory
# ends: error

import zlib
d = zlib.compressobj(wbits=-15)
z = d.compress(bytes(1 << 20)) + d.flush(zlib.Z_FULL_FLUSH)
zlib.decompressobj(wbits=-15).decompress(z * 400)
