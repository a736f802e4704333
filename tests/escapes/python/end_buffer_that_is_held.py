# mechanism: buffer that is held
# kind: end
# ends: value error crash

b = bytearray(9)
m = memoryview(b)
b.clear()
