"""The programs that every peer runs: nine a language, each with its answer, so that a wrong one is no figure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """``code`` is run first; ``value`` is the expression that is measured and whose value must be ``answer``."""

    code: str
    value: str
    answer: int


# In functions, since that is where code that takes long is; small enough that the slowest peer ends soon.
PYTHON = {
    "fib": Program("def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n", "fib(21)", 10946),
    "sum": Program(
        "def run():\n    t = 0\n    for i in range(150000):\n        t += i * i % 7\n    return t\n", "run()", 299999
    ),
    "json": Program(
        "import json\n"
        "def run():\n"
        "    data = [{'a': i, 'b': [i] * 5, 'c': 'text ' + str(i)} for i in range(1500)]\n"
        "    return len(json.dumps(json.loads(json.dumps(data))))\n",
        "run()",
        94230,
    ),
    "dict": Program(
        "def run():\n    d = {}\n    for i in range(60000):\n        k = i * 7919 % 1009\n"
        "        d[k] = d.get(k, 0) + i\n    return len(d)\n",
        "run()",
        1009,
    ),
    "text": Program(
        "import re\n"
        "def run():\n"
        "    text = 'the quick brown fox jumps over the lazy dog ' * 1500\n"
        "    return len(re.sub('[aeiou]+', '', text)) + len(text.upper().split(' '))\n",
        "run()",
        63001,
    ),
    "sort": Program(
        "def run():\n"
        "    rows = [(i * 7919 % 10007, str(i)) for i in range(10007)]\n"
        "    rows.sort(key=lambda row: row[0])\n"
        "    return sum(rows[i][0] * (i % 3) for i in range(0, 10007, 100))\n",
        "run()",
        501700,
    ),
    "matrix": Program(
        "def run():\n"
        "    n = 36\n"
        "    a = [[float(i * j % 7) for j in range(n)] for i in range(n)]\n"
        "    b = [[float(i + j) for j in range(n)] for i in range(n)]\n"
        "    c = [[sum([a[i][k] * b[k][j] for k in range(n)]) for j in range(n)] for i in range(n)]\n"
        "    return int(sum([sum(row) for row in c]))\n",
        "run()",
        3969000,
    ),
    "objects": Program(
        "class Account:\n"
        "    def __init__(self, balance):\n        self.balance = balance\n"
        "    def add(self, amount):\n        self.balance += amount\n        return self\n"
        "def run():\n"
        "    accounts = [Account(i) for i in range(500)]\n"
        "    for turn in range(40):\n"
        "        for account in accounts:\n            account.add(turn)\n"
        "    return sum([account.balance for account in accounts])\n",
        "run()",
        514750,
    ),
    "sieve": Program(
        "def run():\n"
        "    n = 60000\n"
        "    composite = [False] * (n + 1)\n"
        "    count = 0\n"
        "    for i in range(2, n + 1):\n"
        "        if not composite[i]:\n"
        "            count += 1\n"
        "            for j in range(i * i, n + 1, i):\n                composite[j] = True\n"
        "    return count\n",
        "run()",
        6057,
    ),
}

JAVASCRIPT = {
    "fib": Program(
        "globalThis.fib = function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) };", "fib(21)", 10946
    ),
    "sum": Program(
        "globalThis.sum = function () { let t = 0; for (let i = 0; i < 500000; i++) t += i * i % 7; return t };",
        "sum()",
        999999,
    ),
    "json": Program(
        "globalThis.json = function () {"
        " const data = Array.from({ length: 1500 }, (_, i) => ({ a: i, b: [i, i, i, i, i], c: 'text ' + i }));"
        " return JSON.stringify(JSON.parse(JSON.stringify(data))).length };",
        "json()",
        79231,
    ),
    "dict": Program(
        "globalThis.dict = function () { const m = new Map();"
        " for (let i = 0; i < 60000; i++) { const k = i * 7919 % 1009; m.set(k, (m.get(k) ?? 0) + i) }"
        " return m.size };",
        "dict()",
        1009,
    ),
    "text": Program(
        "globalThis.text = function () {"
        " const text = 'the quick brown fox jumps over the lazy dog '.repeat(1500);"
        " return text.replace(/[aeiou]+/g, '').length + text.toUpperCase().split(' ').length };",
        "text()",
        63001,
    ),
    "sort": Program(
        "globalThis.sort = function () {"
        " const rows = Array.from({ length: 10007 }, (_, i) => [i * 7919 % 10007, String(i)]);"
        " rows.sort((x, y) => x[0] - y[0]); let t = 0;"
        " for (let i = 0; i < 10007; i += 100) t += rows[i][0] * (i % 3);"
        " return t };",
        "sort()",
        501700,
    ),
    "matrix": Program(
        "globalThis.matrix = function () { const n = 48;"
        " const make = f => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => f(i, j)));"
        " const a = make((i, j) => i * j % 7 + 0.5), b = make((i, j) => i + j); let t = 0;"
        " for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) { let s = 0;"
        " for (let k = 0; k < n; k++) s += a[i][k] * b[k][j]; t += s }"
        " return Math.floor(t) };",
        "matrix()",
        15989928,
    ),
    "objects": Program(
        "globalThis.objects = (() => { class Account { constructor(b) { this.balance = b }"
        " add(amount) { this.balance += amount; return this } }"
        " return () => { const accounts = Array.from({ length: 500 }, (_, i) => new Account(i));"
        " for (let turn = 0; turn < 40; turn++) for (const account of accounts) account.add(turn);"
        " return accounts.reduce((t, account) => t + account.balance, 0) } })();",
        "objects()",
        514750,
    ),
    "sieve": Program(
        "globalThis.sieve = function () { const n = 60000, composite = new Array(n + 1).fill(false); let count = 0;"
        " for (let i = 2; i <= n; i++) if (!composite[i]) { count++;"
        " for (let j = i * i; j <= n; j += i) composite[j] = true }"
        " return count };",
        "sieve()",
        6057,
    ),
}

PROGRAMS = {"python": PYTHON, "javascript": JAVASCRIPT}
