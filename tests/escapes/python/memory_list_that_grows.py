# mechanism: list that grows
# kind: memory
# ends: error soft

x = []
while True: x.append(bytes(100_000))
