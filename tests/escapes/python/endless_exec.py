# mechanism: exec
# kind: endless
# ends: soft

exec('while True: pass')
