"""Whose turn it is: one at a time, in order, at most eight."""

import threading
from collections.abc import Callable

import pytest

from wasmhost import SessionBusy
from wasmhost.session.turnstile import MAX_QUEUED, Turnstile

pytestmark = pytest.mark.spec("B21", "B22")


def test_a_free_turn_is_taken_and_a_taken_one_refused() -> None:
    turn = Turnstile()
    turn.take()
    with pytest.raises(SessionBusy):
        turn.take()
    turn.give()
    turn.take()


@pytest.mark.spec("B21.1")
def test_those_who_wait_come_in_order() -> None:
    turn = Turnstile()
    turn.take()
    came: list[int] = []

    def waiter(number: int) -> Callable[[], None]:
        return lambda: came.append(number)

    for number in range(3):
        assert not turn.take_or_queue(waiter(number))
    for number in range(3):
        turn.give()
        assert came == list(range(number + 1))
        with pytest.raises(SessionBusy):
            turn.take()
    turn.give()
    assert turn.take_or_queue(lambda: None)


@pytest.mark.spec("B21.2")
def test_the_ninth_is_refused_with_what_is_so() -> None:
    turn = Turnstile()
    assert turn.take_or_queue(lambda: None)
    for _ in range(MAX_QUEUED - 1):
        assert not turn.take_or_queue(lambda: None)
    with pytest.raises(SessionBusy, match="8 cells"):
        turn.take_or_queue(lambda: None)
    # What the host does by itself (reset, close) always finds a place.
    assert not turn.take_or_queue(lambda: None, limited=False)


def test_one_who_leaves_is_not_woken() -> None:
    turn = Turnstile()
    turn.take()
    came: list[str] = []

    def first() -> None:
        came.append("first")

    def second() -> None:
        came.append("second")

    turn.take_or_queue(first)
    turn.take_or_queue(second)
    turn.leave(first)
    turn.give()
    assert came == ["second"]


def test_one_who_leaves_after_being_woken_passes_the_turn_on() -> None:
    turn = Turnstile()
    turn.take()
    came: list[str] = []

    def first() -> None:
        came.append("first")

    def second() -> None:
        came.append("second")

    turn.take_or_queue(first)
    turn.take_or_queue(second)
    turn.give()
    turn.leave(first)
    assert came == ["first", "second"]
    turn.give()
    turn.take()


@pytest.mark.spec("B22.1")
def test_many_threads_never_hold_it_together() -> None:
    turn = Turnstile()
    inside = 0
    most = 0
    done = 0

    def work() -> None:
        nonlocal inside, most, done
        for _ in range(200):
            mine = threading.Event()
            while True:
                try:
                    free = turn.take_or_queue(mine.set)
                except SessionBusy:
                    continue
                break
            if not free:
                assert mine.wait(30)
            inside += 1
            most = max(most, inside)
            inside -= 1
            done += 1
            turn.give()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, done) == (1, 1200)
    turn.take()
