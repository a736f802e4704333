# mechanism: format
# kind: memory
# ends: error

'%0999999999d' % 1
