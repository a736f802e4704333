code = compile("for i in range(2): print(i)\ny = i", "<made>", "exec")
ns = {}
exec(code, ns); ns["y"]
# --- cell
exec("raise ValueError('from exec')")
# --- cell
eval("undefined_thing + 1")
# --- cell
f = eval("lambda x: x * k", {"k": 3}); f(4)
# --- cell
import code, codeop
codeop.compile_command("if x:"), codeop.compile_command("1 + 1") is not None, code.InteractiveInterpreter({}).runsource("print(6 * 7)")
# --- cell
locals() is globals(), (lambda: locals())(), [*(lambda a, b=2: locals())(1)]
