import eryx
from driver import Peer, main


class OfEryx(Peer):
    def __init__(self):
        self.session = None
        self.host = None
        self.value = None
        self.seen = 0

    def fresh(self, expression):
        return eryx.Session().execute(f"print({expression})").stdout

    def define(self, code):
        self.session = self.session or eryx.Session()
        self.session.execute(code)

    def evaluate(self, expression):
        self.session = self.session or eryx.Session()
        return self.session.execute(f"print({expression})").stdout

    def with_host(self, code):
        if self.host is None:

            async def tool(i):
                return i

            async def give():
                return self.value

            async def take(rows):
                self.seen = len(rows)

            functions = [{"name": f.__name__, "fn": f, "description": "one"} for f in (tool, give, take)]
            self.host = eryx.Session(callbacks=functions)
        return self.host.execute(code).stdout

    def call_loop(self, kind, count):
        self.with_host(f"for i in range({count}):\n    await tool(i=i)")

    def gives(self, value):
        self.value = value
        return self.with_host("rows = await give()\nprint(len(rows))")

    def takes(self, value):
        self.with_host("await take(rows=rows)")
        return self.seen


if __name__ == "__main__":
    main(OfEryx)
