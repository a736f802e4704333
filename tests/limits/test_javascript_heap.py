"""What the JavaScript guest does with its memory and its tables: counted in fuel and in bytes, never in time."""

import pytest

from wasmhost import JavaScriptRuntime, Limits

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
