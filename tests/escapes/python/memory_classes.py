# mechanism: classes
# kind: memory
# ends: error soft

x = []
while True: x.append(type('A' * 5000, (), {}))
