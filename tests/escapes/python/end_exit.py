# mechanism: exit
# kind: end
# ends: error

exit()
