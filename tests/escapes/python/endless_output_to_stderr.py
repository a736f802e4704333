# mechanism: output to stderr
# kind: endless
# ends: soft

import sys
while True: sys.stderr.write('x' * 1000)
