# mechanism: regular expressions
# kind: memory
# ends: error soft

import re
x = []
while True: x.append(re.compile('x' * 5000 + str(len(x))))
