"""Cells that run while the image is made, so that the first cell of a sandbox finds caches filled and bytecode specialised.

Their variables, sources and results are forgotten before the image is taken.
"""

CELLS = [
    "1+1",
    "x = [1, 2.5, 'text', None, True]\nprint('hello', len(x))\nx",
    "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n\n{'a': f(12), 'b': (1, 2), 'c': {3}}",
    "1/0",
    "f('x' + 1)",
    "undefined_nam",
    "x = = 1",
    "try:\n    {}['a']\nexcept KeyError as e:\n    raise RuntimeError('no') from e",
    "import asyncio\nasync def g(n):\n    await asyncio.sleep(0)\n    return n\n"
    "await asyncio.gather(*[asyncio.create_task(g(k), name='w') for k in (1, 2)])",
    # The name of each task is given, so that the first task of a sandbox is Task-1.
    "def loop():\n    new = asyncio.EventLoop()\n"
    "    new.set_task_factory(lambda loop, coro, **k: asyncio.Task(coro, loop=loop, name='w', **k))\n    return new\n"
    "asyncio.run(g(3), loop_factory=loop)",
    "async def h():\n    yield 1\n\nawait asyncio.sleep(0, result=[await g(4), *[t async for t in h()]])\n",
    "await asyncio.Future()",
    "import json, re, math, datetime, collections, dataclasses\n"
    "@dataclasses.dataclass\nclass P:\n    x: int\n    y: list\n\n"
    "json.loads(json.dumps([P(1, [2]).x, datetime.date(2024, 2, 29).isoformat()])), re.findall('a+', 'caat'), P(3, [4])",
    "import not_there",
    "class C:\n    def __repr__(self):\n        return 'C'\n\n[C(), b'bytes', 2**70, 1j]",
]
