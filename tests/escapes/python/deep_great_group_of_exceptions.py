# mechanism: great group of exceptions
# kind: deep
# ends: value error

raise ExceptionGroup('', [ValueError(n) for n in range(10**4)])
