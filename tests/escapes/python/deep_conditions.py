# mechanism: conditions
# kind: deep
# ends: error

exec('if 1:\n' + ''.join(' ' * n + 'if 1:\n' for n in range(1, 500)))
