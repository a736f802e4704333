"""Threads for synchronous capabilities and hooks. Apart from the threads that run guests: a guest that waits for one of
these holds one of those, and sharing them would let waiting guests fill the pool and wait for ever."""

import os
from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable
from typing import Protocol

from ..errors import WasmhostError

# Threads at work at a time in the process; more jobs wait in order.
MAX_WORKERS = 128
_MAX_IDLE = 32
# Jobs that were given up and have not returned: each holds a thread that nothing can stop.
MAX_ABANDONED = 1_000
# Of one session, so that a guest which has its calls given up one by one cannot take those of others.
MAX_ABANDONED_OF_ONE = 32

Job = Callable[[], None]


class Owner(Protocol):
    """Whose jobs they are: counts those that were given up and have not returned."""

    abandoned: int


class Workers:
    """Thread-safe. Threads are made as they are needed and do not keep the process from ending."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._jobs: deque[Job] = deque()
        self._idle: deque[object] = deque()  # locks of threads that wait
        self._inbox: dict[object, Job] = {}
        self._threads = 0
        self.abandoned: int = 0

    def submit(self, job: Job) -> None:
        """Runs a job, which must not raise, as soon as a thread is free.

        Raises:
            WasmhostError: too many abandoned jobs hold threads.
        """
        with self._lock:
            if self._idle:
                lock = self._idle.pop()
                self._inbox[lock] = job
                lock.release()  # type: ignore[attr-defined]
                return
            if self.abandoned >= MAX_ABANDONED:
                raise WasmhostError(f"{self.abandoned} synchronous capabilities were abandoned and have not returned")
            if self._threads - self.abandoned >= MAX_WORKERS:
                self._jobs.append(job)
                return
            self._threads += 1
        try:
            start_new_thread(self._run, (job,))
        except RuntimeError as error:
            with self._lock:
                self._threads -= 1
            raise WasmhostError(f"no thread for a synchronous capability: {error}") from None

    def abandon(self, owner: Owner) -> None:
        """A job that runs is given up: its thread does not count any more until :meth:`returned`."""
        with self._lock:
            self.abandoned += 1
            owner.abandoned += 1
            if not self._jobs or self._threads - self.abandoned >= MAX_WORKERS:
                return
            job = self._jobs.popleft()
            self._threads += 1
        try:
            start_new_thread(self._run, (job,))
        except RuntimeError:  # then it waits for the next thread that is free
            with self._lock:
                self._threads -= 1
                self._jobs.appendleft(job)

    def returned(self, owner: Owner) -> None:
        """A job that was given up has come to its end after all."""
        with self._lock:
            self.abandoned -= 1
            owner.abandoned -= 1

    def _run(self, job: Job) -> None:
        wake = allocate_lock()
        wake.acquire()
        while True:
            job()
            del job
            with self._lock:
                if self._jobs:
                    job = self._jobs.popleft()
                    continue
                if len(self._idle) >= _MAX_IDLE:
                    self._threads -= 1
                    return
                self._idle.append(wake)
            wake.acquire()
            job = self._inbox.pop(wake)


workers: Workers = Workers()


def _after_fork_in_child() -> None:
    workers.__init__()  # type: ignore[misc]  # its threads are the parent's


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
