"""The servers as programs, and requests to them as any program would make them."""

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.support.child import ROOT, environment

COMMAND = str(Path(sys.executable).parent / "wasmhost")
TOKEN = "a-token-of-the-tests"


def command(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *words], capture_output=True, text=True, cwd=ROOT, env=environment(**env), timeout=60, input=""
    )


def members(session: int) -> list[int]:
    """The processes of a session of processes."""
    found = []
    for one in Path("/proc").iterdir():
        try:
            fields = (one / "stat").read_text().rpartition(")")[2].split() if one.name.isdigit() else []
        except OSError:
            continue
        if len(fields) > 3 and int(fields[3]) == session and fields[0] != "Z":
            found.append(int(one.name))
    return found


def say(child: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert child.stdin is not None
    child.stdin.write(json.dumps(message).encode() + b"\n")
    child.stdin.flush()


@contextmanager
def serving(*words: str, begins: str, **env: str | None) -> Iterator[tuple[str, list[str]]]:
    """The URL of a server, and what it has said on stderr so far; ended by SIGTERM, after which nothing went wrong.

    Args:
        begins: the line with the URL.
    """
    child = subprocess.Popen(
        [COMMAND, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(**env),
    )
    assert child.stderr is not None
    said: list[str] = []
    try:
        while not said or not said[-1].startswith(begins):
            line = child.stderr.readline()
            assert line, f"the server has ended: {said}"
            said.append(line)
        url = said[-1].split()[-1]
        if None in env.values():
            # The token that it has made.
            said.append(child.stderr.readline())
        yield url, said
        child.send_signal(signal.SIGTERM)
        child.wait(30)
        said += child.stderr.read().splitlines()
        assert not [line for line in said if "Traceback" in line or "ERROR" in line], said
    finally:
        child.kill()
        child.wait(30)
        child.stderr.close()
        assert child.stdout is not None
        assert child.stdout.read() == ""
        child.stdout.close()


def request(
    url: str,
    method: str = "POST",
    body: dict[str, Any] | bytes | None = None,
    headers: dict[str, str] | None = None,
    token: str | None = TOKEN,
) -> tuple[int, dict[str, str], bytes]:
    """One request as any program would make it."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    given = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        **({} if token is None else {"Authorization": f"Bearer {token}"}),
        **(headers or {}),
    }
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    try:
        connection.request(method, parts.path, data, given)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read(100_000)
    finally:
        connection.close()
