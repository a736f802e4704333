import sys

from driver import Peer, main

from wasmhost import JavaScriptRuntime, Limits, PythonRuntime, capability

LIMITS = Limits(script_ms=600_000, calls=1_000_000, value_bytes=64 << 20, memory_bytes=1 << 30)
# As anybody has them, the meter on.
PLAIN = Limits(script_ms=600_000)


@capability(inline=True)
def inline(i: int) -> int:
    return i


def hop(i: int) -> int:
    return i


class Ours(Peer):
    def __init__(self, language):
        self.python = language == "python"
        self.runtime = PythonRuntime if self.python else JavaScriptRuntime
        self.session = None
        self.host = None
        self.value = None
        self.seen = 0

    def fresh(self, expression):
        with self.runtime() as session:
            return self.checked(session.run(expression))

    def checked(self, result):
        if not result.ok:
            raise RuntimeError(result.error)
        return result.value

    def define(self, code):
        self.session = self.session or self.runtime(limits=PLAIN)
        self.checked(self.session.run(code))

    def evaluate(self, expression):
        self.session = self.session or self.runtime(limits=PLAIN)
        return self.checked(self.session.run(expression))

    def with_host(self, code):
        if self.host is None:

            def give():
                return self.value

            def take(rows):
                self.seen = len(rows)

            functions = [inline, hop, capability(inline=True)(give), capability(inline=True)(take)]
            self.host = self.runtime(capabilities=functions, policy="allow", limits=LIMITS)
        return self.checked(self.host.run(code))

    def call_loop(self, kind, count):
        if self.python:
            self.with_host(f"for i in range({count}): tools.{kind}(i=i)")
        else:
            self.with_host(f"for (let i = 0; i < {count}; i++) await tools.{kind}({{ i }})")

    def gives(self, value):
        self.value = value
        if self.python:
            return self.with_host("rows = tools.give()\nlen(rows)")
        return self.with_host("rows = await tools.give(); rows.length")

    def takes(self, value):
        self.with_host("tools.take(rows=rows)" if self.python else "await tools.take({ rows }); 0")
        return self.seen

    def close(self):
        for session in (self.session, self.host):
            if session is not None:
                session.close()


if __name__ == "__main__":
    main(lambda: Ours(sys.argv[2]))
