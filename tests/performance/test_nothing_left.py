"""Sandboxes that were used in any way and dropped leave nothing behind: counted in objects and in bytes that malloc has
given out, since how much of the memory is resident depends on much else."""

import json

from tests.support.child import run_python
from tests.support.guests import Guest

# What is made for a while and kept, such as a thread or a full list of free objects, comes in one of several turns;
# what is left behind by each use, in all of them.
ROUNDS, TURNS = 30, 5

COUNT = """
    import gc, json, sys
    from bench.soak import Ways, given_out
    from wasmhost import Host

    ROUNDS, TURNS, NAME = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    # CPython's cache of attributes keeps the names that are looked up, thousands of them.
    forget = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache


    def look():
        forget()
        gc.collect()
        return {"objects": len(gc.get_objects()), "blocks": sys.getallocatedblocks(), "bytes": given_out()}


    def hosted():
        with Host(language=NAME) as host:
            session = host.session()
            session.run("1")
            host.evict_idle(0)
            session.run("1")


    def grown(way):
        least = None
        for _ in range(TURNS):
            before = look()
            for _ in range(ROUNDS):
                way()
            after = look()
            growth = {name: after[name] - before[name] for name in after}
            least = growth if least is None else {name: min(least[name], growth[name]) for name in growth}
            if max(least.values()) <= 0:
                break
        return least


    ways = Ways({"python": "Python", "javascript": "JavaScript"}[NAME])
    # What it is about, a stop by time, takes its time.
    every = [way for way in dict.fromkeys(ways.all) if way != ways.soft_stop] + [hosted]
    for way in every:
        for _ in range(10):
            way()
    print(json.dumps({way.__name__: grown(way) for way in every}))
"""


def test_no_way_of_using_a_sandbox_leaves_anything_behind(guest: Guest) -> None:
    # The caches of malloc for each thread count as given out, and fill as they like.
    done = run_python(COUNT, str(ROUNDS), str(TURNS), guest.name, GLIBC_TUNABLES="glibc.malloc.tcache_count=0")
    growths = json.loads(done.stdout)
    assert len(growths) > 12
    left = {
        way: growth
        for way, growth in growths.items()
        if growth["objects"] >= ROUNDS or growth["blocks"] >= ROUNDS or growth["bytes"] >= 8 * ROUNDS
    }
    assert not left, f"after {ROUNDS} rounds there is more: {left}"
