# mechanism: loop with finally
# kind: endless
# ends: soft

while True:
  try: x = 1
  finally: x = 2
