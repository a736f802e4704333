import asyncio
import os
import sys

from capsule.worker import close_all, run_with_worker
from driver import Stateless, main

COMMAND = os.path.join(os.path.dirname(sys.executable), "capsule")


class OfCapsule(Stateless):
    """`capsule_task.wasm` stands in the folder that this runs in."""

    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()

    def fresh_after(self, code, expression):
        arguments = [f"{code}\nresult = {expression}"]
        done = self.loop.run_until_complete(
            run_with_worker(file="capsule_task.wasm", args=arguments, capsule_path=COMMAND)
        )
        if not done["success"]:
            raise RuntimeError(done["error"])
        return done["result"]

    def close(self):
        ended = close_all()
        if ended is not None:
            self.loop.run_until_complete(ended)


if __name__ == "__main__":
    main(OfCapsule)
