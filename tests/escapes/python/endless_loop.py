# mechanism: loop
# kind: endless
# ends: soft

while True: pass
