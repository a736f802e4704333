from driver import Peer, main
from pydantic_monty import Monty


class OfMonty(Peer):
    def __init__(self):
        self.pool = Monty().__enter__()
        self.kept = None
        self.seen = 0

    def fresh(self, expression):
        with self.pool.checkout() as session:
            return session.feed_run(expression)

    @property
    def session(self):
        if self.kept is None:
            self.kept = self.pool.checkout().__enter__()
        return self.kept

    def define(self, code):
        self.session.feed_run(code)

    def evaluate(self, expression):
        return self.session.feed_run(expression)

    def call_loop(self, kind, count):
        # A session makes 1,000 calls at most.
        with self.pool.checkout() as session:
            session.feed_run(f"for i in range({count}):\n    tool(i)", external_lookup={"tool": lambda i: i})

    def gives(self, value):
        return self.session.feed_run("rows = give()\nlen(rows)", external_lookup={"give": lambda: value})

    def takes(self, value):
        def take(rows):
            self.seen = len(rows)

        self.session.feed_run("take(rows)", external_lookup={"take": take})
        return self.seen

    def close(self):
        if self.kept is not None:
            self.kept.__exit__(None, None, None)
        self.pool.__exit__(None, None, None)


if __name__ == "__main__":
    main(OfMonty)
