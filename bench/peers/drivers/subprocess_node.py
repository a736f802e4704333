import subprocess

from driver import Stateless, main


class Process(Stateless):
    python = False

    def fresh_after(self, code, expression):
        program = f"{code}\nconsole.log({expression})"
        return subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(Process)
