# mechanism: eval in eval
# kind: endless
# ends: soft

while True: eval('1')
