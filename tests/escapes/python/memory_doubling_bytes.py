# mechanism: doubling bytes
# kind: memory
# ends: error

x = b'x'
while True: x += x
