# mechanism: replace
# kind: memory
# ends: error

('a' * (1 << 20)).replace('a', 'b' * 2000)
