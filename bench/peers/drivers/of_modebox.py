import asyncio

import modebox
from driver import Stateless, main


class OfModebox(Stateless):
    python = False

    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()
        limits = modebox.Limits(timeout_ms=60_000, max_host_calls=1_000_000, max_value_bytes=64 << 20)
        self.runner = modebox.Runner(limits=limits)
        self.seen = 0

    def run(self, code, **functions):
        made = {"host": functions} if functions else None
        return self.loop.run_until_complete(self.runner.run(code, host_functions=made)).value

    def fresh_after(self, code, expression):
        return self.run(f"{code}\n{expression}")

    def call_loop(self, kind, count):
        self.run(f"for (let i = 0; i < {count}; i++) await host.tool(i)", tool=lambda i: i)

    def gives(self, value):
        return self.run("const rows = await host.give(); rows.length", give=lambda: value)

    def close(self):
        self.runner.close()


if __name__ == "__main__":
    main(OfModebox)
