# mechanism: regular expression in replacement
# kind: endless
# ends: soft hard

import re
re.sub('(a|a)*$', '', 'a' * 60 + 'b')
