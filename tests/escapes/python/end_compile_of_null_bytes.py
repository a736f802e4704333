# mechanism: compile of null bytes
# kind: end
# ends: error

compile('\0', '', 'exec')
