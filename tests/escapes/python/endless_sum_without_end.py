# mechanism: sum without end
# kind: endless
# ends: soft hard

sum(iter(int, 1))
