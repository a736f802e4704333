# mechanism: process
# kind: end
# ends: error

import subprocess
subprocess.run(['true'])
