# mechanism: signal
# kind: end
# ends: value error crash

import signal
signal.raise_signal(signal.SIGABRT)
