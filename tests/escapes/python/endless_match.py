# mechanism: match
# kind: endless
# ends: soft

while True:
  match [1, 2]:
    case [a, b]: pass
