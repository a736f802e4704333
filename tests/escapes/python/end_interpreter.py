# mechanism: interpreter
# kind: end
# ends: value error crash

import _interpreters
_interpreters.exec(_interpreters.create(), 'while True: pass')
