from concurrent.futures import Future, wait
f = Future(); f.add_done_callback(lambda f: print("done", f.result())); f.set_result(5)
f.result(), f.done(), f.exception()
# --- cell
g = Future(); g.set_exception(ValueError("v"))
g.result()
# --- cell
h = Future(); h.cancel(), h.cancelled()
