# mechanism: exec in exec
# kind: deep
# ends: error

s = 'exec(s)'
exec(s)
