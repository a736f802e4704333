# mechanism: tree of an expression
# kind: deep
# ends: error

import ast
t = ast.Constant(1)
for _ in range(10**5): t = ast.UnaryOp(ast.USub(), t)
compile(ast.fix_missing_locations(ast.Expression(t)), '', 'eval')
