"""QuickJS-NG as native code, of the version that our guest is."""

import quickjs
from driver import Peer, main


class Native(Peer):
    python = False

    def __init__(self):
        self.context = quickjs.Context()

    def fresh(self, expression):
        return quickjs.Context().eval(expression)

    def define(self, code):
        self.context.eval(code)

    def evaluate(self, expression):
        return self.context.eval(expression)

    def call_loop(self, kind, count):
        self.context.add_callable("tool", lambda i: i)
        self.context.eval(f"for (let i = 0; i < {count}; i++) tool(i)")


if __name__ == "__main__":
    main(Native)
