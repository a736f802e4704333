"""Integers as decimal digits and back, faster than by the quadratic time of ``str`` and ``int``, and without the
interpreter's limit on digits: a guest chooses how many there are."""

from typing import Any

# Up to here the interpreter is as fast, and its limit, which a program may lower to 640 digits, does not matter.
_FEW_BITS = 2_000
_FEW_DIGITS = 600


def to_digits(value: int) -> str:
    """The decimal digits of an integer."""
    if value.bit_length() < _FEW_BITS:
        return str(value)
    from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal

    context = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
    powers: dict[int, Any] = {}

    def power_of_two(bits: int) -> Any:
        if bits < _FEW_BITS:
            return Decimal(1 << bits)
        found = powers.get(bits)
        if found is None:
            half = bits >> 1
            found = powers[bits] = context.multiply(power_of_two(half), power_of_two(bits - half))
        return found

    def converted(part: int, bits: int) -> Any:
        if bits < _FEW_BITS:
            return Decimal(part)
        half = bits >> 1
        high = context.multiply(converted(part >> half, bits - half), power_of_two(half))
        return context.add(high, converted(part & ((1 << half) - 1), half))

    digits = format(converted(abs(value), value.bit_length()), "f")
    return f"-{digits}" if value < 0 else digits


def from_digits(text: str) -> int:
    """The integer of decimal digits, perhaps with a minus sign.

    Raises:
        ValueError: something else.
    """
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(text[:20])
    powers: dict[int, int] = {}

    def converted(start: int, end: int) -> int:
        size = end - start
        if size <= _FEW_DIGITS:
            return int(digits[start:end])
        low = size >> 1
        power = powers.get(low)
        if power is None:
            power = powers[low] = 10**low
        return converted(start, end - low) * power + converted(end - low, end)

    value = converted(0, len(digits))
    return -value if text[0] == "-" else value
