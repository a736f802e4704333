# mechanism: hashing
# kind: endless
# ends: soft hard

import hashlib
hashlib.pbkdf2_hmac('sha256', b'a', b'b', 10 ** 9)
