# mechanism: translate
# kind: memory
# ends: error

('a' * (1 << 20)).translate({97: 'b' * 2000})
