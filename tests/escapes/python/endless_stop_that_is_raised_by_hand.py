# mechanism: stop that is raised by hand
# kind: endless
# ends: soft hard value error

import gc
E = [c for c in BaseException.__subclasses__() if c.__name__ == 'ExecutionStopped']
raise (E or [KeyError])[0]
