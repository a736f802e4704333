# mechanism: signal that kills
# kind: end
# ends: value error crash

import _signal
_signal.raise_signal(9)
