# mechanism: tree that is not there
# kind: deep
# ends: error

import ast
t = ast.Constant(1, lineno=1, col_offset=0)
for _ in range(10**5): t = ast.UnaryOp(ast.USub(), t, lineno=1, col_offset=0)
compile(ast.Expression(t), '', 'eval')
