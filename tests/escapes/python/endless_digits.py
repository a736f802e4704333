# mechanism: digits
# kind: endless
# ends: soft hard

import sys
sys.set_int_max_str_digits(0)
len(str(7 ** 2_000_000))
