# mechanism: f-strings
# kind: deep
# ends: error

eval("f'{" * 300 + '1')
