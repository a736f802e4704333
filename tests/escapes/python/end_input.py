# mechanism: input
# kind: end
# ends: error

input()
