import operator as op, types
op.attrgetter("real", "imag")(2 + 3j), op.methodcaller("upper")("x"), op.itemgetter(1, 0)("ab"), op.concat([1], [2]), op.index(True), op.contains("abc", "b")
# --- cell
ns = types.SimpleNamespace(a=1, b=[2]); ns.c = 3
ns, ns == types.SimpleNamespace(a=1, b=[2], c=3), types.MappingProxyType({"a": 1})["a"], types.GenericAlias(list, int)
# --- cell
types.MappingProxyType({})["x"] = 1
# --- cell
def f(): pass
isinstance(f, types.FunctionType), types.FunctionType(compile("1+1", "<cell 9>", "eval"), {})(), types.MethodType(lambda self: self, 5)(), type(types.ModuleType("m", "doc")).__name__
# --- cell
types.new_class("New", (int,), {}, lambda ns: ns.update(x=1)).x, types.DynamicClassAttribute.__name__, f.__code__.co_name
