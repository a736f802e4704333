# mechanism: exceptions
# kind: endless
# ends: soft

while True:
  try: raise ValueError
  except ValueError: pass
