"""What the programs in this folder share. Each runs in the environment of its peer, so nothing but the standard library
is here.

`NAME.py cold` evaluates 1 + 1 and ends. `NAME.py serve` reads one request a line and answers each with one line:
`{"samples": [...]}`, milliseconds of each time or, of `rate`, sandboxes a second, or `{"error": "..."}`.
"""

import json
import sys
from time import perf_counter

CALLS = 500
ROWS = 60_000


class NotThere(Exception):
    """The peer has no such thing; the text says what it lacks."""


class Peer:
    """What a driver gives. ``python``: the guest's language is Python."""

    python = True

    def fresh(self, expression):
        """The value of an expression in a sandbox of its own, which is gone afterwards."""
        raise NotThere("not measured")

    def define(self, code):
        """Runs code in the session that is kept."""
        raise NotThere("no session")

    def evaluate(self, expression):
        """The value of an expression in that session."""
        raise NotThere("no session")

    def call_loop(self, kind, count):
        """Lets the guest call a function of the host that gives back its argument: ``inline`` in the same thread where
        that can be chosen, ``hop`` through another."""
        raise NotThere("no functions of the host")

    def gives(self, value):
        """How many rows a guest sees that gets the value from a function of the host."""
        raise NotThere("no functions of the host")

    def takes(self, value):
        """How many rows the host sees that gets from a guest the value that ``gives`` has given it."""
        raise NotThere("no functions of the host")

    def close(self):
        pass


class Stateless(Peer):
    """One that has no session: what was defined is run again before each expression."""

    def __init__(self):
        self.code = ""

    def define(self, code):
        self.code = code

    def evaluate(self, expression):
        return self.fresh_after(self.code, expression)

    def fresh(self, expression):
        return self.fresh_after("", expression)

    def fresh_after(self, code, expression):
        raise NotImplementedError


def rows():
    """About ten megabytes as JSON: what tables look like."""
    return [
        {
            "id": i,
            "name": f"row number {i} " + "x" * 80,
            "price": i * 0.25,
            "ok": i % 2 == 0,
            "note": None,
            "at": [i, -i],
        }
        for i in range(ROWS)
    ]


def _ms(action):
    started = perf_counter()
    value = action()
    return (perf_counter() - started) * 1e3, value


def _expect(value, wanted):
    if int(value) != wanted:
        raise ValueError(f"{value!r} instead of {wanted}")


class _Server:
    def __init__(self, peer):
        self.peer = peer
        self.value = None
        self.given = False

    def new(self, request):
        samples = []
        for _ in range(request["n"]):
            took, value = _ms(lambda: self.peer.fresh("1 + 1"))
            _expect(value, 2)
            samples.append(took)
        return samples

    def repeat(self, request):
        count = request["n"]
        self.peer.evaluate("1 + 1")
        started = perf_counter()
        for _ in range(count):
            value = self.peer.evaluate("1 + 1")
        took = (perf_counter() - started) * 1e3 / count
        _expect(value, 2)
        return [took]

    def call(self, request):
        # The first one after other work finds cold caches, and in a session perhaps a checkpoint that is due.
        self.peer.call_loop(request["kind"], CALLS)
        return [_ms(lambda: self.peer.call_loop(request["kind"], CALLS))[0] / CALLS for _ in range(3)]

    def cpu(self, request):
        self.peer.define(request["code"])
        took, value = _ms(lambda: self.peer.evaluate(request["value"]))
        _expect(value, request["answer"])
        return [took]

    def rate(self, request):
        until = perf_counter() + request["seconds"]
        started, count = perf_counter(), 0
        while perf_counter() < until:
            self.peer.fresh("1 + 1")
            count += 1
        return [count / (perf_counter() - started)]

    def gives(self, request):
        self.value = self.value or rows()
        took, seen = _ms(lambda: self.peer.gives(self.value))
        _expect(seen, ROWS)
        self.given = True
        return [took]

    def takes(self, request):
        if not self.given:
            self.gives(request)
        took, seen = _ms(lambda: self.peer.takes(self.value))
        _expect(seen, ROWS)
        return [took]


def main(make):
    if sys.argv[1] == "cold":
        peer = make()
        _expect(peer.fresh("1 + 1"), 2)
        peer.close()
        return
    # What a peer or its guest prints must not get between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    server = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            server = server or _Server(make())
            answer = {"samples": getattr(server, request["do"])(request)}
        except BaseException as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300], "lacks": isinstance(error, NotThere)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    if server is not None:
        server.peer.close()
