# mechanism: file
# kind: end
# ends: error

open('/etc/passwd')
