# mechanism: alarm
# kind: end
# ends: value error crash

import signal
signal.alarm(1)
