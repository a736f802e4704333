# mechanism: exceptions that hold themselves
# kind: deep
# ends: value error

e = ValueError()
e.__cause__ = e.__context__ = e
raise e
