"""What the JavaScript guest does with its memory and its tables: counted in fuel and in bytes, never in time."""

import pytest

from wasmhost import JavaScriptRuntime, Limits

MEMORY_BYTES = 64 << 20
FUEL = 10**9


@pytest.mark.parametrize(
    "keys",
    ["(_, i) => i", "(_, i) => i * 1024", "(_, i) => -i", "(_, i) => i + 0.5", "() => ({})", "(_, i) => BigInt(i)"],
)
def test_keys_of_a_map_cost_about_as_much_as_strings(keys: str) -> None:
    def fuel(make: str) -> int:
        with JavaScriptRuntime(limits=Limits(script_ms=60_000)) as session:
            assert session.run(f"const keys = Array.from({{ length: 1000 }}, {make})").ok
            code = "const m = new Map(); for (let i = 0; i < 5000; i++) m.set(keys[i % 1000], i); m.size"
            result = session.run(code, limits=Limits(fuel=FUEL, script_ms=60_000))
            assert result.value == 1000, result
            assert result.fuel is not None
            return result.fuel

    assert fuel(keys) < 2 * fuel("(_, i) => 'key ' + i")


@pytest.mark.spec("D1.2")
def test_memory_of_small_blocks_serves_large_ones_again() -> None:
    with JavaScriptRuntime(limits=Limits(memory_bytes=MEMORY_BYTES, script_ms=60_000)) as session:
        for _ in range(3):
            small = session.run("var kept = Array.from({ length: 10_000 }, () => new Uint8Array(3000)); kept.length")
            assert small.value == 10_000, small
            assert session.run("kept = null").ok
            large = session.run("Array.from({ length: 40 }, () => new Uint8Array(1 << 20)).length")
            assert large.value == 40, large
