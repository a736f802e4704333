"""A process for each piece of code, which is what many start with."""

import subprocess
import sys

from driver import Stateless, main


class Process(Stateless):
    def fresh_after(self, code, expression):
        program = f"{code}\nprint({expression})"
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(Process)
