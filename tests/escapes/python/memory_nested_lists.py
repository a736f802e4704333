# mechanism: nested lists
# kind: memory
# ends: error soft

x = []
while True: x = [x, bytes(100_000)]
