"""A driver as a child process: one request, one answer, and never a wait without an end."""

import json
import os
import selectors
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from .environments import Environment


class NoAnswer(Exception):
    """There is no figure; the text says why. ``lacks``: the peer has no such thing at all."""

    def __init__(self, text: str, lacks: bool = False) -> None:
        super().__init__(text)
        self.lacks: bool = lacks


class Child:
    """The driver of one peer, started with its first request and again after it has died or not answered."""

    def __init__(self, environment: Environment, arguments: tuple[str, ...]) -> None:
        self._environment = environment
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None

    def ask(self, request: dict[str, Any], seconds: float) -> list[float]:
        """The samples that a request gave.

        Raises:
            NoAnswer: an error, the end of the process, or no answer in that time.
        """
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._line(process, seconds)
        except TimeoutError:
            self.close()
            raise NoAnswer(f"no answer within {seconds:g} s") from None
        except OSError:
            line = b""
        if not line:
            status = process.wait(5)
            self.close()
            raise NoAnswer(f"its process ended with status {status}")
        answer = json.loads(line)
        if "error" in answer:
            raise NoAnswer(one_line(answer["error"]), answer.get("lacks", False))
        return [float(sample) for sample in answer["samples"]]

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
            self._process = subprocess.Popen(
                [*self._environment.command, "serve", *self._arguments],
                cwd=self._environment.folder,
                env=self._environment.variables(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
            )
        return self._process

    def _line(self, process: "subprocess.Popen[bytes]", seconds: float) -> bytes:
        assert process.stdout is not None
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(seconds):
                    raise TimeoutError
                piece = os.read(process.stdout.fileno(), 65536)
                if not piece:
                    return b""
                line += piece
        return line

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
        self._errors.close()


def one_line(text: str) -> str:
    """The first 120 characters of an error, without paths of this machine and what would break a table."""
    words = ["..." if word.count("/") > 1 else word for word in text.split()]
    return " ".join(words).replace("|", "/")[:120]


def whole_process(words: list[str], folder: Path, variables: dict[str, str], seconds: float) -> None:
    """Runs a command to its end.

    Raises:
        NoAnswer: it failed, or did not end in that time.
    """
    try:
        done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"did not end within {seconds:g} s") from None
    if done.returncode:
        raise NoAnswer(f"ended with status {done.returncode}")
