# mechanism: regular expression
# kind: endless
# ends: soft hard

import re
re.match('(a+)+$', 'a' * 40 + 'b')
