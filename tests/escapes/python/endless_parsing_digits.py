# mechanism: parsing digits
# kind: endless
# ends: soft hard

import sys
sys.set_int_max_str_digits(0)
int('7' * 3_000_000)
