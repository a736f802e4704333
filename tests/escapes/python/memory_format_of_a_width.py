# mechanism: format of a width
# kind: memory
# ends: error

f'{1:999999999}'
