"""The clock and the random numbers that a guest gets."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fixed_source import FixedSource
from wasmhost.sandbox.system import MONOTONIC, REALTIME, SystemSource, expand

pytestmark = pytest.mark.spec("B20")


def test_real_time_is_the_hosts() -> None:
    before = time.time_ns()
    now = SystemSource().clock(REALTIME)
    assert before <= now <= time.time_ns()


def test_the_monotonic_clock_starts_near_one_second_and_tells_nothing_of_the_machine() -> None:
    source = SystemSource()
    first = source.clock(MONOTONIC)
    assert 1_000_000_000 <= first < 11_000_000_000
    assert first <= source.clock(MONOTONIC)


def test_each_cell_has_a_seed_of_its_own() -> None:
    source = SystemSource()
    seeds = {source.begin_cell(n) for n in range(50)} | {SystemSource().begin_cell(n) for n in range(50)}
    assert len(seeds) == 100
    assert {len(seed) for seed in seeds} == {32}


def test_all_random_bytes_of_a_cell_follow_from_its_seed() -> None:
    source = SystemSource()
    source.begin_cell(1)
    drawn = [source.random(n) for n in (1, 16, 100)]
    assert drawn == [expand(source.cell_seed, i, n) for i, n in ((1, 1), (2, 16), (3, 100))]
    assert len({source.random(16) for _ in range(100)}) == 100


def test_a_cell_can_be_given_its_clock_and_its_random_numbers_again() -> None:
    source = SystemSource()
    source.begin_cell(1)
    first = [source.clock(REALTIME), source.clock(MONOTONIC), source.random(9)]
    seed, readings = source.cell_seed, source.readings
    other = SystemSource()
    other.replay_cell(seed, readings)
    assert not other.replayed_all
    assert [other.clock(REALTIME), other.clock(MONOTONIC), other.random(9)] == first
    assert other.replayed_all
    other.end_replay()
    assert other.clock(REALTIME) > readings[0]


def test_a_fixed_source_gives_the_same_again() -> None:
    def draw(seed: bytes) -> list[bytes]:
        source = FixedSource(seed, lambda which: which)
        made = []
        for number in range(3):
            made.append(source.begin_cell(number))
            made += [source.random(8), source.random(8)]
        return made

    assert draw(b"a") == draw(b"a") != draw(b"b")
    assert len(set(draw(b"a"))) == 9


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**32), st.integers(0, 5000))
def test_expand_is_a_function_of_seed_and_counter(seed: bytes, counter: int, size: int) -> None:
    made = expand(seed, counter, size)
    assert len(made) == size
    assert made == expand(seed, counter, size + 1)[:size]
    if size >= 16:
        assert made != expand(seed, counter + 1, size)
