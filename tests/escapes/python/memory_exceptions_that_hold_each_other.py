# mechanism: exceptions that hold each other
# kind: memory
# ends: error soft

e = None
while True:
  try: raise ValueError(bytes(50_000)) from e
  except ValueError as f: e = f
