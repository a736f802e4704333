"""Cells that try to pass for stopped ones, in each language."""

PYTHON = {
    "printed": 'import sys\nprint(\'{"stop": {"limit": "wall", "layer": "hard"}, "state": "lost"}\')\n'
    "print('TimeoutError: wall time of 1 ms is spent; the sandbox did not stop when asked to and was ended', file=sys.stderr)",
    "thrown by its name": "raise TimeoutError('script time of 1000 ms is spent')",
    "thrown as a class of that name": "class StopError(BaseException): pass\nraise StopError('fuel of 1 is spent')",
    "thrown with our attributes": "e = TimeoutError('wall')\ne.stop = {'limit': 'wall'}\ne.limit, e.layer, e.state = 'wall', 'hard', 'lost'\nraise e",
    "interrupt": "raise KeyboardInterrupt('the cell was interrupted')",
    "cancellation": "import asyncio\nraise asyncio.CancelledError('the cell was cancelled by the host')",
    "exit of the system": "raise SystemExit({'stop': 'wall'})",
    "memory": "raise MemoryError('the memory limit of 1 bytes is reached')",
    "recursion": "raise RecursionError('the call stack of 1 bytes is exhausted')",
    "returned": "{'status': 'suspended', 'stop': {'limit': 'wall', 'layer': 'hard', 'used': 1}, 'state': 'lost', 'ok': False}",
    "returned as a frame": 'bytes([2, 0, 0, 0, 4, 0, 0, 0]) + b\'{"e": {"type": "TimeoutError"}}\'',
    "a value that describes itself so": 'class A:\n  def __repr__(self): return \'"}, "stop": {"limit": "wall"}, "x": {"\'\nA()',
    "a name of a class": 'type(\'A", "stop": {"limit": "wall"}, "state": "lost\', (Exception,), {})(\'x\')',
    "an error of such a name": 'raise type(\'TimeoutError","stop":{"limit":"wall"},"x":"\', (Exception,), {})(\'m"}}\')',
    "a note": "e = ValueError('x')\ne.add_note('the session went back to the state before this cell')\nraise e",
    "JSON replaced": 'import json\njson.dumps = lambda *a, **k: \'{"stop": {"limit": "wall"}}\'\n1',
    "stream replaced": "import sys\nclass O:\n  def write(self, t): raise TimeoutError('wall time is spent')\n"
    "  def flush(self): raise TimeoutError\nsys.stdout = sys.stderr = O()\n1",
    "hooks replaced": "import sys\ndef h(*a): raise TimeoutError('script time is spent')\n"
    "sys.excepthook = sys.displayhook = sys.unraisablehook = h\n1",
    "builtins replaced": "import builtins\nfor n in ('repr', 'str', 'type', 'isinstance', 'BaseException', 'TimeoutError', 'len'):\n"
    "  setattr(builtins, n, None)\n1",
    "frames walked": "import sys\nf = sys._getframe()\nwhile f:\n  for n in list(f.f_locals):\n    try: f.f_locals[n] = None\n"
    "    except Exception: pass\n  f = f.f_back\n1",
    "frames walked from another function": "import sys\ndef g():\n  f = sys._getframe()\n  while f:\n    for n in list(f.f_globals):\n"
    "      if f.f_globals is not globals(): f.f_globals[n] = None\n    f = f.f_back\ng()\n1",
    "dictionaries found by the collector": "import gc\nfor o in gc.get_objects():\n"
    "  if type(o) is dict and any(isinstance(k, str) and k in ('stop', 'limit', 'state', 'status') for k in o):\n    o.clear()\n1",
    "modules found by the collector": "import gc, sys\nfor o in gc.get_objects():\n"
    "  if type(o) is type(sys) and 'wasmhost' in getattr(o, '__name__', ''): o.__dict__.clear()\n1",
    "functions found by the collector": "import gc, types\ndef f(*a, **k): raise TimeoutError('wall time is spent')\n"
    "for o in gc.get_objects():\n  if isinstance(o, types.FunctionType) and o.__code__.co_filename.startswith('<prelude'):\n"
    "    try: o.__code__ = f.__code__\n    except Exception: pass\n1",
    "trace function": "import sys\ndef t(*a): raise TimeoutError('wall time is spent')\ndef f(): pass\nsys.settrace(t)\n"
    "try: f()\nfinally: sys.settrace(None)",
    "event loop closed": "import asyncio\nasyncio.get_running_loop().close()\n1",
    "event loop stopped": "import asyncio\nasyncio.get_running_loop().stop()\n1",
    "tasks cancelled": "import asyncio\nfor t in asyncio.all_tasks(): t.cancel()\nawait asyncio.sleep(0)\n1",
}
JAVASCRIPT = {
    "printed": 'console.log(\'{"stop": {"limit": "wall", "layer": "hard"}, "state": "lost"}\')\n'
    "console.error('TimeoutError: wall time of 1 ms is spent; the sandbox did not stop when asked to and was ended')",
    "thrown by its name": "var e = new Error('script time of 1000 ms is spent'); e.name = 'TimeoutError'; throw e",
    "thrown as a class of that name": "throw new (class InterruptedError extends Error {})('stopped')",
    "thrown with our attributes": "throw Object.assign(new Error('wall'), { stop: { limit: 'wall' }, layer: 'hard', state: 'lost' })",
    "thrown object": "throw { type: 'TimeoutError', message: 'wall time is spent', stop: { limit: 'wall', layer: 'hard' } }",
    "thrown that looks uncatchable": "throw Object.defineProperty(new Error('interrupted'), 'uncatchable', { value: true })",
    "an internal error": "throw new InternalError('interrupted')",
    "memory": "throw new InternalError('out of memory')",
    "null": "throw null",
    "stack": "throw new RangeError('the call stack of 1 bytes is exhausted')",
    "stack that is text": "var e = new Error('x'); e.stack = '    at <host> (stop:1:1)'; throw e",
    "returned": "({ status: 'suspended', stop: { limit: 'wall', layer: 'hard', used: 1 }, state: 'lost', ok: false })",
    "returned with tags of ours": "({ $wasmhost: 'stop', limit: 'wall', layer: 'hard' })",
    "toJSON": "({ toJSON() { return { stop: { limit: 'wall' } } } })",
    "a value that describes itself so": '({ [Symbol.toStringTag]: \'"}, "stop": {"limit": "wall"}\', toString() { return \'"stop"\' } })',
    "an error of such a name": 'var e = new Error(\'m"}}\'); e.name = \'TimeoutError","stop":{"limit":"wall"},"x":"\'; throw e',
    "fields on the prototype": "Object.assign(Object.prototype, { stop: { limit: 'wall' }, state: 'lost', status: 'suspended', e: 1, v: 2 }); 1",
    "getters on the prototype": "for (const n of ['stop', 'state', 'status', 'e', 'v', 't', 'type', 'message', 'frames'])\n"
    "  Object.defineProperty(Object.prototype, n, { get() { throw new Error('wall') }, set() { throw new Error('wall') }, configurable: true }); 1",
    "setters on the prototype of arrays": "Object.defineProperty(Array.prototype, '0', { set(v) { throw new Error('wall') }, configurable: true }); 1",
    "then on the prototype": "Object.defineProperty(Object.prototype, 'then', { get() { throw new Error('wall') }, configurable: true }); 1",
    "promises replaced": "Promise = class { then() { throw new Error('wall') } }; 1",
    "methods of promises replaced": "Promise.prototype.then = Promise.prototype.catch = () => { throw new Error('wall') }; 1",
    "JSON replaced": 'JSON.stringify = () => \'{"stop": {"limit": "wall"}}\'; JSON.parse = () => ({ stop: 1 }); 1',
    "console replaced": "console.log = console.error = () => { throw new Error('wall time is spent') }; 1",
    "errors prepared": "Error.prepareStackTrace = () => { throw new Error('wall') }; Error.stackTraceLimit = -1; null.x",
    "error class replaced": "Error = TypeError = InternalError = function () { this.name = 'TimeoutError' }; null.x",
    "functions replaced": "Function.prototype.call = Function.prototype.apply = () => { throw new Error('wall') }; 1",
    "a proxy": "new Proxy({}, { get() { throw { stop: 'wall' } }, ownKeys() { throw { stop: 'wall' } } })",
}
