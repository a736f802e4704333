# mechanism: sort key
# kind: endless
# ends: soft

sorted([1, 2], key=lambda x: [0 for _ in iter(int, 1)])
