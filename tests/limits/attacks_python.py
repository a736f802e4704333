"""Attacks in Python: what a hostile cell does, and the ways in which it may end.

Endings: ``value`` and ``error`` (the cell ended by itself), ``soft`` and ``hard`` (script time), ``memory`` and ``stack``
(those limits, which end the sandbox), ``crash`` (a trap or an exit, which end it too), ``deadlock``.
"""

ENDLESS = {
    "soft": {
        "loop": "while True: pass",
        "loop in a function in a class body": "class A:\n  def f():\n    while True: pass\n  f()",
        "loop with finally": "while True:\n  try: x = 1\n  finally: x = 2",
        "loop around Exception": "while True:\n  try:\n    while True: pass\n  except Exception: pass",
        "generator": "def g():\n  while True: yield\nfor _ in g(): pass",
        "awaiting nothing": "import asyncio\nwhile True: await asyncio.sleep(0)",
        "tasks that make tasks": "import asyncio\nasync def f(): asyncio.create_task(f())\nawait f()\nawait asyncio.sleep(99)",
        "callbacks that make callbacks": (
            "import asyncio\nloop = asyncio.get_running_loop()\ndef f(): loop.call_soon(f)\nf()\nawait asyncio.sleep(99)"
        ),
        "an own event loop": "import asyncio\nasync def f():\n  while True: await asyncio.sleep(0)\nasyncio.run(f())",
        "display": "class A:\n  def __repr__(self):\n    while True: pass\nA()",
        "display in a list": "class A:\n  def __repr__(self):\n    while True: pass\n[1, A()]",
        "text of an error": "class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E",
        "display of a metaclass": "class M(type):\n  def __repr__(cls):\n    while True: pass\nclass A(metaclass=M): pass\nA",
        "finaliser": "class A:\n  def __del__(self):\n    while True: pass\nA()\nNone",
        "finaliser of a cycle": "import gc\nclass A:\n  def __del__(self):\n    while True: pass\na = A()\na.a = a\ndel a\ngc.collect()",
        "callback of a weak reference": "import weakref\nclass A: pass\ndef f(r):\n  while True: pass\na = A()\nr = weakref.ref(a, f)\ndel a",
        "equality": "class A:\n  def __hash__(self): return 1\n  def __eq__(self, o):\n    while True: pass\n{A(): 1}[A()]",
        "hash": "class A:\n  def __hash__(self):\n    while True: pass\n{A()}",
        "truth": "class A:\n  def __bool__(self):\n    while True: pass\nnot A()",
        "sort key": "sorted([1, 2], key=lambda x: [0 for _ in iter(int, 1)])",
        "comparison in a sort": "class A:\n  def __lt__(self, o):\n    while True: pass\nsorted([A(), A()])",
        "attribute": "class A:\n  def __getattr__(self, n):\n    while True: pass\nA().x",
        "descriptor": "class D:\n  def __get__(self, *a):\n    while True: pass\nclass A: d = D()\nA.d",
        "namespace of a class": "class M(type):\n  def __prepare__(*a):\n    while True: pass\nclass A(metaclass=M): pass",
        "decorator": "def f(g):\n  while True: pass\n@f\ndef g(): pass",
        "trace function": "import sys\ndef t(*a):\n  while True: pass\nsys.settrace(t)\ndef f(): pass\nf()",
        "profile function": "import sys\ndef t(*a):\n  while True: pass\nsys.setprofile(t)\ndef f(): pass\nf()",
        "import hook": (
            "import sys\nclass F:\n  def find_spec(*a):\n    while True: pass\nsys.meta_path.insert(0, F)\n"
            "try: import nothing_at_all\nfinally: sys.meta_path.remove(F)"
        ),
        "output": "while True: print('x' * 1000)",
        "output to stderr": "import sys\nwhile True: sys.stderr.write('x' * 1000)",
        "own stdout": "import sys\nclass O:\n  def write(self, t):\n    while True: pass\nsys.stdout = O()\nprint(1)",
        "hook for errors": "import sys\ndef h(*a):\n  while True: pass\nsys.excepthook = h\nsys.unraisablehook = h\nclass A:\n  def __del__(self): 1 / 0\nA()\nNone",
        "random numbers": "import random\nwhile True: random.random()",
        "the clock": "import time\nwhile True: time.time()",
        "reading of the clock in a comprehension": "import time\n[time.monotonic() for _ in iter(int, 1)]",
        "exec": "exec('while True: pass')",
        "eval in eval": "while True: eval('1')",
        "sleep": "import time\ntime.sleep(1e6)",
        "sleep of the loop": "import asyncio\nawait asyncio.sleep(1e6)",
        "many short sleeps": "import time\nwhile True: time.sleep(0.001)",
        "shielded sleep": "import asyncio\nawait asyncio.shield(asyncio.sleep(1e6))",
        "sleep in a task group": "import asyncio\nasync with asyncio.TaskGroup() as g:\n  for _ in range(9): g.create_task(asyncio.sleep(99))",
        "async generator": "async def g():\n  while True: yield 1\nasync for _ in g(): pass",
        "sieve of generators": "def f(n):\n  while True: yield n\ng = f(1)\nfor _ in range(50): g = (x for x in g)\nfor _ in g: pass",
        "reduction": "import functools\nfunctools.reduce(lambda a, b: b, iter(lambda: 1, 2))",
        "import of a module again and again": "import importlib, json\nwhile True: importlib.reload(json)",
        "exceptions": "while True:\n  try: raise ValueError\n  except ValueError: pass",
        "match": "while True:\n  match [1, 2]:\n    case [a, b]: pass",
        "sqlite": "import sqlite3\nc = sqlite3.connect(':memory:')\nwhile True: c.execute('select 1').fetchall()",
    },
    "soft hard": {
        "regular expression": "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
        "callback of the collector": "import gc\ndef f(*_):\n  while True: pass\ngc.callbacks.append(f)\ngc.collect()",
        "recursion in finally": "def f():\n  try: f()\n  finally: f()\nf()",
        "regular expression in replacement": "import re\nre.sub('(a|a)*$', '', 'a' * 60 + 'b')",
        "power": "9 ** 9 ** 9",
        "power of a power": "x = 3\nfor _ in range(99): x = x ** x",
        "factorial": "import math\nmath.factorial(10 ** 8)",
        "digits": "import sys\nsys.set_int_max_str_digits(0)\nlen(str(7 ** 2_000_000))",
        "parsing digits": "import sys\nsys.set_int_max_str_digits(0)\nint('7' * 3_000_000)",
        "modular power": "pow(3, 7 ** 50_000, 7 ** 20_000 - 2)",
        "sum without end": "sum(iter(int, 1))",
        "maximum without end": "import itertools\nmax(itertools.repeat(1))",
        "counting without end": "import collections, itertools\ncollections.deque(itertools.count(), maxlen=0)",
        "search in a range": "class A(int): pass\n-1.5 in range(10 ** 18)",
        "index in a range": "range(10 ** 18).count(-1.5)",
        "sort of much": "x = [str(n) for n in range(10**5)] * 20\nx.sort()\nx.sort(reverse=True)\nsorted(x * 9)",
        "substring": "('a' * 10**6).find('a' * (5 * 10**5) + 'b' + 'a' * (4 * 10**5))\nwhile True: ('a' * 10**6).count('a' * 1000 + 'b')",
        "permutations": "import itertools\nfor _ in itertools.permutations(range(99)): pass",
        "product": "import itertools\nsum(1 for _ in itertools.product(range(99), repeat=9))",
        "query without end": (
            "import sqlite3\nc = sqlite3.connect(':memory:')\n"
            "c.execute('with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) from t').fetchall()"
        ),
        "hashing": "import hashlib\nhashlib.pbkdf2_hmac('sha256', b'a', b'b', 10 ** 9)",
        "compression": "import zlib\nwhile True: zlib.compress(bytes(60_000_000), 9)",
        "decimal": "import decimal\ndecimal.getcontext().prec = 10 ** 6\n(decimal.Decimal(2) ** decimal.Decimal('0.5')).exp()",
        "statistics": "import statistics\nstatistics.median(x % 7919 for x in range(10 ** 9))",
        "hash of numbers that collide": "p = 2 ** 31 - 1\nd = {}\nfor n in range(1, 10**6): d[n * p] = 0",
    },
    "hard": {
        "catching all": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
        "bare except": "while True:\n  try:\n    while True: pass\n  except: pass",
        "except star": "while True:\n  try:\n    while True: pass\n  except* BaseException: pass",
        "suppress": "import contextlib\nwhile True:\n  with contextlib.suppress(BaseException):\n    while True: pass",
        "leaving by finally": "while True:\n  try:\n    while True: pass\n  finally: continue",
        "generator that ignores": "def g():\n  while True:\n    try:\n      while True: pass\n    except BaseException: pass\nnext(g())",
        "catching while waiting": "import asyncio\nwhile True:\n  try: await asyncio.sleep(1)\n  except BaseException: pass",
        "catching while sleeping": "import time\nwhile True:\n  try: time.sleep(1)\n  except BaseException: pass",
        "sleeping in finally": "import time\nwhile True:\n  try: time.sleep(9)\n  finally:\n    continue",
        "handler that recurses": "def f():\n  try:\n    while True: pass\n  except BaseException: f()\nf()",
    },
    "soft hard value error": {
        "finaliser that catches": (
            "class A:\n  def __del__(self):\n    while True:\n      try:\n        while True: pass\n      except BaseException: pass\nA()"
        ),
        "display that catches": (
            "class A:\n  def __repr__(self):\n    while True:\n      try:\n        while True: pass\n      except BaseException: pass\nA()"
        ),
        "task that does not give up": (
            "import asyncio\nasync def f():\n  while True:\n    try: await asyncio.sleep(9)\n    except BaseException: pass\n"
            "t = asyncio.create_task(f())\nawait t"
        ),
        "trace function that catches": (
            "import sys\ndef t(*a):\n  try:\n    while True: pass\n  except BaseException: return t\nsys.settrace(t)\n"
            "def f():\n  while True: pass\nf()"
        ),
        "no limit of recursion": "import sys\nold = sys.getrecursionlimit()\nsys.setrecursionlimit(2**31 - 1)\ntry:\n  def f(): f()\n  f()\nfinally: sys.setrecursionlimit(old)",
        "no limit of recursion and a handler": (
            "import sys\nold = sys.getrecursionlimit()\nsys.setrecursionlimit(10**6)\ntry:\n  def f():\n    try: f()\n    except RecursionError: pass\n  f()\nfinally: sys.setrecursionlimit(old)"
        ),
        "stop that is raised by hand": (
            "import gc\nE = [c for c in BaseException.__subclasses__() if c.__name__ == 'ExecutionStopped']\nraise (E or [KeyError])[0]"
        ),
    },
}

MEMORY = {
    "error": {
        "bytes": "bytes(1 << 30)",
        "bytearray": "bytearray(1 << 30)",
        "string": "'x' * (1 << 30)",
        "beyond an index": "'x' * (1 << 62)",
        "list": "[0] * (1 << 29)",
        "tuple": "(0,) * (1 << 29)",
        "doubling": "x = 'x'\nwhile True: x += x",
        "doubling bytes": "x = b'x'\nwhile True: x += x",
        "number of many digits": "1 << (1 << 33)",
        "padding": "'x'.ljust(1 << 30)",
        "format": "'%0999999999d' % 1",
        "format of a width": "f'{1:999999999}'",
        "tabs": "'\\t'.expandtabs(1 << 30)",
        "join": "'x'.join(['y' * (1 << 20)] * 2000)",
        "replace": "('a' * (1 << 20)).replace('a', 'b' * 2000)",
        "translate": "('a' * (1 << 20)).translate({97: 'b' * 2000})",
        "array": "import array\narray.array('d', bytes(8)) * (1 << 27)",
        "struct": "import struct\nstruct.pack('999999999x')",
        "zip bomb": (
            "import zlib\nd = zlib.compressobj(wbits=-15)\nz = d.compress(bytes(1 << 20)) + d.flush(zlib.Z_FULL_FLUSH)\n"
            "zlib.decompressobj(wbits=-15).decompress(z * 400)"
        ),
        "read beyond the end": "import io\nb = io.BytesIO()\nb.seek(1 << 30)\nb.write(b'x')",
        "decimal of great precision": "import decimal\ndecimal.getcontext().prec = decimal.MAX_PREC\ndecimal.Decimal(1) / 3",
        "random bytes": "import random\nrandom.randbytes(1 << 30)",
        "random bits": "import random\nrandom.getrandbits(1 << 33)",
    },
    "error soft": {
        "list that grows": "x = []\nwhile True: x.append(bytes(100_000))",
        "list of an endless iterator": "import itertools\nlist(itertools.repeat(1))",
        "dict that grows": "x = {}\nwhile True: x[len(x)] = bytes(100_000)",
        "nested lists": "x = []\nwhile True: x = [x, bytes(100_000)]",
        "strings": "x = []\nwhile True: x.append('x' * 100_000 + str(len(x)))",
        "objects": "class A: pass\nx = []\nwhile True:\n  x.append([A() for _ in range(1000)])",
        "closures": "f = None\nwhile True:\n  f = (lambda f, b: lambda: f)(f, bytes(100_000))\n  x = f",
        "tasks": "import asyncio\nx = []\nwhile True: x.append(asyncio.create_task(asyncio.sleep(9, bytes(50_000))))",
        "output held back": "import io, contextlib\nb = io.StringIO()\nwith contextlib.redirect_stdout(b):\n  while True: print('x' * 100_000)",
        "warnings": "import warnings\nwhile True: warnings.warn('x' * 100_000)",
        "exceptions that hold each other": "e = None\nwhile True:\n  try: raise ValueError(bytes(50_000)) from e\n  except ValueError as f: e = f",
        "classes": "x = []\nwhile True: x.append(type('A' * 5000, (), {}))",
        "interned strings": "import sys\nx = []\nwhile True: x.append(sys.intern('x' * 100_000 + str(len(x))))",
        "regular expressions": "import re\nx = []\nwhile True: x.append(re.compile('x' * 5000 + str(len(x))))",
    },
    "soft hard error": {
        "MemoryError caught in a loop": "x = []\nwhile True:\n  try:\n    while True: x.append(bytes(1 << 20))\n  except MemoryError: pass",
        "copy of a shared structure": "import copy\nx = 1\nfor _ in range(60): x = (x, [x])\nlen(str(x))",
        "JSON of a shared structure": "import json\nx = []\nfor _ in range(60): x = [x, x]\njson.dumps(x)",
        "text of a shared structure": "x = []\nfor _ in range(60): x = [x, x]\nlen(repr(x))",
        "set": "set(range(1 << 26))",
        "deque": "import collections\ncollections.deque([0] * (1 << 20)) * 1000",
        "all caught while memory is gone": (
            "x = []\nwhile True:\n  try:\n    while True: x.append(bytearray(1 << 16))\n  except BaseException: pass"
        ),
        "memory filled, then an error": (
            "x = []\ntry:\n  while True: x.append(bytes(1 << 12))\nexcept MemoryError: pass\n"
            "def f(n): return f(n + 1)\nf(0)"
        ),
        "memory filled by a list that is the value": "x = []\ntry:\n  while True: x.append('x' * 1000)\nexcept MemoryError: pass\nx",
    },
}

DEEP = {
    "error": {
        "function": "def f(): f()\nf()",
        "method": "class A:\n  def f(self): self.f()\nA().f()",
        "two functions": "def f(): g()\ndef g(): f()\nf()",
        "attribute": "class A:\n  def __getattr__(self, n): return getattr(self, n)\nA().x",
        "attribute through the class": "class A:\n  def __getattribute__(self, n): return self.n\nA().x",
        "display": "class A:\n  def __repr__(self): return repr(self)\nrepr(A())",
        "text": "class A:\n  def __str__(self): return f'{self}'\nstr(A())",
        "equality": "class A:\n  def __eq__(self, o): return self == o\nA() == 1",
        "hash": "class A:\n  def __hash__(self): return hash(self)\nhash(A())",
        "call": "class A: pass\nA.__call__ = A()\nA()()",
        "index": "class A:\n  def __index__(self): return [][self]\n[][A()]",
        "iteration": "class A:\n  def __iter__(self): return iter(self)\nlist(A())",
        "sort": "def k(x): return sorted([2, 1], key=k)\nk(1)",
        "comparison of lists": "a = []\nb = []\na.append(b)\nb.append(a)\nc = []\nd = []\nc.append(d)\nd.append(c)\na == c",
        "nested lists shown": "x = []\nfor _ in range(10**5): x = [x]\nrepr(x)",
        "nested dicts shown": "x = {}\nfor _ in range(10**5): x = {1: x}\nrepr(x)",
        "JSON read": "import json\njson.loads('[' * 100_000)",
        "JSON read, objects": "import json\njson.loads('{\"a\":' * 100_000)",
        "JSON written": "import json\nx = []\nfor _ in range(10**5): x = [x]\njson.dumps(x)",
        "parentheses": "eval('(' * 10_000 + ')' * 10_000)",
        "signs": "eval('-' * 100_000 + '1')",
        "nots": "eval('not ' * 100_000 + '1')",
        "brackets": "eval('[' * 100_000)",
        "sums": "eval('+'.join(['1'] * 100_000) + '+(' * 5000)",
        "comparisons": "eval('1' + '<(1' * 50_000)",
        "lambdas": "eval('lambda: ' * 50_000 + '1')",
        "conditions": "exec('if 1:\\n' + ''.join(' ' * n + 'if 1:\\n' for n in range(1, 500)))",
        "f-strings": "eval(\"f'{\" * 300 + '1')",
        "tree of an expression": (
            "import ast\nt = ast.Constant(1)\nfor _ in range(10**5): t = ast.UnaryOp(ast.USub(), t)\n"
            "compile(ast.fix_missing_locations(ast.Expression(t)), '', 'eval')"
        ),
        "tree that is not there": (
            "import ast\nt = ast.Constant(1, lineno=1, col_offset=0)\n"
            "for _ in range(10**5): t = ast.UnaryOp(ast.USub(), t, lineno=1, col_offset=0)\n"
            "compile(ast.Expression(t), '', 'eval')"
        ),
        "pickle": "import pickle\nx = []\nfor _ in range(10**5): x = [x]\npickle.dumps(x)",
        "pickle of its own": "import pickle\nclass A:\n  def __reduce__(self): return A, (A(),)\npickle.dumps(A())",
        "copy": "import copy\nx = []\nfor _ in range(10**5): x = [x]\ncopy.deepcopy(x)",
        "marshal": "import marshal\nx = []\nfor _ in range(10**5): x = [x]\nmarshal.dumps(x)",
        "marshal read": "import marshal\nmarshal.loads(b'[\\x01\\x00\\x00\\x00' * 100_000)",
        "isinstance": "x = ()\nfor _ in range(10**5): x = (x,)\nisinstance(1, x)",
        "groups of a regular expression": "import re\nre.compile('(?:' * 1000)",
        "delegation": "def f(n): yield from f(n + 1)\nlist(f(0))",
        "coroutines": "async def f(): await f()\nawait f()",
        "classes": "A = object\nfor _ in range(400): A = type('A', (A,), {'f': lambda self: super(type(self), self).f()})\nA().f()",
        "super": "class A:\n  def f(self): super().f()\nclass B(A):\n  def f(self): self.__class__.f(self)\nB().f()",
        "property": "class A:\n  @property\n  def x(self): return self.x\nA().x",
        "exec in exec": "s = 'exec(s)'\nexec(s)",
        "import in import": (
            "import sys\nclass F:\n  def find_spec(self, name, *a): __import__(name + 'x')\nsys.meta_path.insert(0, F())\n"
            "try: import qqq\nfinally: del sys.meta_path[0]"
        ),
        "partial": "import functools\nf = print\nfor _ in range(10**4): f = functools.partial((lambda g: lambda: g())(f))\nf()",
        "XML": "import xml.etree.ElementTree as E\ndef depth(e): return 1 + depth(e[0])\ndepth(E.fromstring('<a>' * 5000 + '</a>' * 5000))",
        "unions": "import typing\nx = int\nfor _ in range(10**5): x = list[x]\nrepr(x)",
        "exception groups": "e = ValueError()\nfor _ in range(10**5): e = ExceptionGroup('', [e])\ne.split(KeyError)",
        "trace function": "import sys\ndef t(*a): (lambda: sys.settrace(t))(); f()\ndef f(): f()\nsys.settrace(t)\nf()",
        "string formatting": "class A:\n  def __format__(self, s): return f'{self}'\nf'{A()}'",
        "JSON of its own": "import json\nclass A: pass\njson.dumps(A(), default=lambda x: [x])",
    },
    "value error": {
        "nested lists as the value": "x = []\nfor _ in range(10**5): x = [x]\nx",
        "class of an object that lies": "class A:\n  @property\n  def __class__(self):\n    while True: pass\nA()",
        "display of the type of an error": "class M(type):\n  @property\n  def __name__(c):\n    while True: pass\nclass E(Exception, metaclass=M): pass\nraise E",
        "nested dicts as the value": "x = {}\nfor _ in range(10**5): x = {'a': x}\nx",
        "cycle as the value": "x = []\nx.append(x)\nx",
        "nested tuples let go": "x = ()\nfor _ in range(2 * 10**5): x = (x,)\ndel x",
        "nested lists let go": "x = []\nfor _ in range(2 * 10**5): x = [x]\ndel x",
        "nested dicts let go": "x = {}\nfor _ in range(10**5): x = {1: x}\ndel x",
        "objects let go": "class A: pass\nx = None\nfor _ in range(10**5):\n  y = A()\n  y.x = x\n  x = y\ndel x, y",
        "objects with finalisers let go": (
            "class A:\n  def __del__(self): pass\nx = None\nfor _ in range(10**5):\n  y = A()\n  y.x = x\n  x = y\ndel x, y"
        ),
        "exceptions that hold each other": (
            "e = None\nfor _ in range(10**5):\n  f = ValueError()\n  f.__context__ = e\n  e = f\nraise e"
        ),
        "exceptions that hold themselves": "e = ValueError()\ne.__cause__ = e.__context__ = e\nraise e",
        "classes": "A = object\nfor _ in range(400): A = type('A', (A,), {})\nA",
        "recursion caught": "def f():\n  try: f()\n  except RecursionError: pass\nf()",
        "great group of exceptions": "raise ExceptionGroup('', [ValueError(n) for n in range(10**4)])",
    },
    "value error stack crash memory": {
        "chained iterators": "import itertools\ng = iter([1])\nfor _ in range(10**5): g = itertools.chain(g)\nlist(g)",
        "filters": "g = iter([1])\nfor _ in range(10**5): g = filter(None, g)\nlist(g)",
        "filters let go": "g = iter([1])\nfor _ in range(10**5): g = filter(None, g)\ndel g",
        "maps": "g = iter([1])\nfor _ in range(10**5): g = map(int, g)\nlist(g)",
        "islices": "import itertools\ng = iter([1])\nfor _ in range(10**5): g = itertools.islice(g, 9)\nlist(g)",
        "weak proxies": "import weakref\nclass A: pass\na = x = A()\nk = []\nfor _ in range(10**4):\n  x = weakref.proxy(x) if x is a else x\nx",
        "methods": "import types\nf = print\nfor _ in range(10**5): f = types.MethodType(f, 1)\nf()",
        "class methods": "f = print\nfor _ in range(10**5): f = classmethod(f)\nclass A: g = f\nA.g()",
        "no limit of recursion in C": (
            "import sys\nold = sys.getrecursionlimit()\nsys.setrecursionlimit(2**31 - 1)\n"
            "class A:\n  def __repr__(self): return repr([self])\ntry: repr(A())\nfinally: sys.setrecursionlimit(old)"
        ),
        "generators let go": "g = iter([1])\nfor _ in range(10**5): g = (x for x in g)\ndel g",
        "generators": "g = iter([1])\nfor _ in range(10**5): g = (x for x in g)\nlist(g)",
        "nested tuples hashed": "x = ()\nfor _ in range(10**4): x = (x,)\nhash(x)",
        "no recursion allowed": "import sys\ntry: sys.setrecursionlimit(1)\nfinally: pass",
        "hand-made bytecode": "def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes(range(1, 255)) * 4, co_stacksize=9)\nf()",
        "hand-made bytecode without end": "def f(): pass\nf.__code__ = f.__code__.replace(co_code=b'\\x1b\\x00' * 9)\nf()",
        "constants that are not there": "def f(): return 1\nf.__code__ = f.__code__.replace(co_consts=())\nf()",
        "stack that is too small": "def f(a): return [a, a, a, a, a, a, a, a]\nf.__code__ = f.__code__.replace(co_stacksize=1)\nf(1)",
        "frame cleared while it runs": "import sys\ndef f():\n  try: sys._getframe(1).clear()\n  except RuntimeError: pass\nf()",
    },
}

ENDS = {
    "error": {
        "sys.exit": "import sys\nsys.exit(3)",
        "exit": "exit()",
        "quit": "quit(1)",
        "SystemExit": "raise SystemExit",
        "KeyboardInterrupt": "raise KeyboardInterrupt",
        "GeneratorExit": "raise GeneratorExit",
        "os._exit": "import os\nos._exit(3)",
        "os.abort": "import os\nos.abort()",
        "os.kill": "import os\nos.kill(os.getpid(), 9)",
        "thread's exit": "import _thread\n_thread.exit()",
        "interrupt of the main thread": "import _thread\n_thread.interrupt_main()\nfor _ in range(9): pass",
        "thread": "import threading\nthreading.Thread(target=print).start()",
        "process": "import subprocess\nsubprocess.run(['true'])",
        "socket": "import socket\nsocket.create_connection(('127.0.0.1', 1))",
        "file": "open('/etc/passwd')",
        "input": "input()",
        "task that waits for itself": "import asyncio\nasync def f(): await t\nt = asyncio.create_task(f())\nawait t",
        "exit in a task": "import asyncio, sys\nasync def f(): sys.exit(1)\nawait asyncio.create_task(f())",
        "exit in a finaliser and an error": "import sys\nclass A:\n  def __del__(self): sys.exit(1)\nA()\n1 / 0",
        "compile of null bytes": "compile('\\0', '', 'exec')",
    },
    "value error crash": {
        "posix._exit": "import posix\nposix._exit(3)",
        "posix.abort": "import posix\nposix.abort()",
        "signal": "import signal\nsignal.raise_signal(signal.SIGABRT)",
        "signal of C": "import _signal\n_signal.raise_signal(6)",
        "signal that kills": "import _signal\n_signal.raise_signal(9)",
        "alarm": "import signal\nsignal.alarm(1)",
        "fault on purpose": "import faulthandler\nfaulthandler._sigsegv()",
        "fatal error on purpose": "import faulthandler\nfaulthandler._fatal_error_c_thread()",
        "closing the streams": "import os, sys\nsys.stdout.close()\nsys.stderr.close()\nos.close(1)\nos.close(2)",
        "fork": "import os\nos.fork()",
        "program": "import os\nos.execv('/bin/true', ['true'])",
        "ctypes": "import ctypes\nctypes.string_at(0)",
        "interpreter": "import _interpreters\n_interpreters.exec(_interpreters.create(), 'while True: pass')",
        "collector off": "import gc\ngc.disable()\ngc.freeze()\ngc.set_threshold(1)",
        "exit at exit": "import atexit, os\natexit.register(os._exit, 3)\natexit._run_exitfuncs()",
        "module of tests": "import _testcapi\n_testcapi.crash_no_current_thread()",
        "finalisation": "import sys\nsys._clear_internal_caches() if hasattr(sys, '_clear_internal_caches') else sys._clear_type_cache()",
        "buffer that is held": "b = bytearray(9)\nm = memoryview(b)\nb.clear()",
    },
    "deadlock": {
        "future": "import asyncio\nawait asyncio.Future()",
        "event": "import asyncio\nawait asyncio.Event().wait()",
        "queue": "import asyncio\nawait asyncio.Queue().get()",
        "two tasks that wait for each other": (
            "import asyncio\nasync def f(): await b\nasync def g(): await a\n"
            "a = asyncio.create_task(f())\nb = asyncio.create_task(g())\nawait asyncio.gather(a, b)"
        ),
        "lock of a thread": "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()",
        "event of a thread": "import threading\nthreading.Event().wait()",
        "queue of a thread": "import queue\nqueue.Queue().get()",
        "condition of a thread": "import threading\nc = threading.Condition()\nwith c: c.wait()",
        "semaphore": "import asyncio\ns = asyncio.Semaphore(0)\nawait s.acquire()",
        "barrier": "import asyncio\nawait asyncio.Barrier(2).wait()",
    },
}
