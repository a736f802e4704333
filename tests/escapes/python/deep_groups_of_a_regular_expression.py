# mechanism: groups of a regular expression
# kind: deep
# ends: error

import re
re.compile('(?:' * 1000)
