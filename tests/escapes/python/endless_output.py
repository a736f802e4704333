# mechanism: output
# kind: endless
# ends: soft

while True: print('x' * 1000)
