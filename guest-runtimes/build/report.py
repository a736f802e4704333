"""What a person sees while the build runs, and the one exception that ends it."""

from __future__ import annotations

import os
import sys
import threading
import time

HEARTBEAT_SECONDS = 20.0


class BuildError(Exception):
    """Something a person has to know or do. Shown without a traceback."""


class Reporter:
    """One line when a stage begins, one when it ends, and a sign of life in between."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._running: dict[str, float] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._tty = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def say(self, text: str) -> None:
        with self._lock:
            self._clear()
            print(f"[{time.monotonic() - self._began:4.0f} s] {text}", file=sys.stderr, flush=True)

    def begin(self, name: str, what: str) -> None:
        self.say(f"{name}: {what}")
        with self._lock:
            self._running[name] = time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(target=self._beat, daemon=True)
                self._thread.start()

    def end(self, name: str, note: str = "") -> float:
        with self._lock:
            seconds = time.monotonic() - self._running.pop(name)
        self.say(f"{name}: done in {seconds:.1f} s{note}")
        return seconds

    def fail(self, name: str) -> None:
        with self._lock:
            self._running.pop(name, None)

    def close(self) -> None:
        self._stop.set()
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        if self._tty:
            sys.stderr.write("\r\x1b[K")

    def _beat(self) -> None:
        quiet_since = time.monotonic()
        while not self._stop.wait(1.0):
            now = time.monotonic()
            with self._lock:
                if not self._running:
                    quiet_since = now
                    continue
                text = ", ".join(f"{name} {now - since:.0f} s" for name, since in self._running.items())
                if self._tty:
                    sys.stderr.write(f"\r\x1b[K[{now - self._began:4.0f} s] ... {text}")
                    sys.stderr.flush()
                elif now - quiet_since >= HEARTBEAT_SECONDS:
                    quiet_since = now
                    print(f"[{now - self._began:4.0f} s] ... {text}", file=sys.stderr, flush=True)
