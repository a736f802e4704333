from driver import Peer, main
from quickjs_rs import Runtime


class OfQuickjsRs(Peer):
    python = False

    def __init__(self):
        self.runtime = Runtime()
        self.kept = None
        self.seen = 0

    def fresh(self, expression):
        with Runtime() as runtime, runtime.new_context() as context:
            return context.eval(expression)

    @property
    def context(self):
        if self.kept is None:
            self.kept = self.runtime.new_context()
        return self.kept

    def define(self, code):
        self.context.eval(code)

    def evaluate(self, expression):
        return self.context.eval(expression)

    def call_loop(self, kind, count):
        with self.runtime.new_context() as context:

            @context.function
            def tool(i):
                return i

            context.eval(f"for (let i = 0; i < {count}; i++) tool(i)")

    def gives(self, value):
        self.context.register("give", lambda: value)
        return self.context.eval("globalThis.rows = give(); rows.length")

    def takes(self, value):
        def take(rows):
            self.seen = len(rows)

        self.context.register("take", take)
        self.context.eval("take(rows); 0")
        return self.seen


if __name__ == "__main__":
    main(OfQuickjsRs)
