# mechanism: strings
# kind: memory
# ends: error soft

x = []
while True: x.append('x' * 100_000 + str(len(x)))
