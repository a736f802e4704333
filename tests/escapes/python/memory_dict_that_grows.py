# mechanism: dict that grows
# kind: memory
# ends: error soft

x = {}
while True: x[len(x)] = bytes(100_000)
