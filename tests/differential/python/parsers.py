import re
def evaluate(text):
    tokens = re.findall(r"\d+\.?\d*|[-+*/()]", text)
    pos = 0
    def peek(): return tokens[pos] if pos < len(tokens) else None
    def take():
        nonlocal pos
        pos += 1
        return tokens[pos - 1]
    def atom():
        t = take()
        if t == "(":
            v = expr(); take(); return v
        return -atom() if t == "-" else float(t)
    def term():
        v = atom()
        while peek() in ("*", "/"): v = v * atom() if take() == "*" else v / atom()
        return v
    def expr():
        v = term()
        while peek() in ("+", "-"): v = v + term() if take() == "+" else v - term()
        return v
    return expr()
evaluate("2 * (3 + 4) - 10 / 4"), evaluate("-(2)*-3")
# --- cell
evaluate("1 / 0")
# --- cell
import ast
print(ast.dump(ast.parse("x = 1 + y", mode="exec"), indent=1))
ast.literal_eval("{'a': [1, (2, None)], 'b': {1, 2}}"), ast.unparse(ast.parse("a if b else[c for c in d]"))
# --- cell
ast.literal_eval("__import__('os')")
