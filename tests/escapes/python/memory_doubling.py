# mechanism: doubling
# kind: memory
# ends: error

x = 'x'
while True: x += x
