from decimal import Decimal as D, getcontext, localcontext, ROUND_HALF_UP, InvalidOperation
D("0.1") + D("0.2"), D(1) / D(7), D("1.10") * 3, D("1E+5"), D(0.1), -D("0"), D("NaN"), D("Infinity")
# --- cell
D("2.675").quantize(D("0.01"), ROUND_HALF_UP), D("2.665").quantize(D("0.01")), D("123.456").as_tuple(), D("100").normalize()
# --- cell
with localcontext() as ctx:
    ctx.prec = 50
    x = D(2).sqrt()
x, getcontext().prec
# --- cell
D(1) / 0
# --- cell
D("abc")
# --- cell
f"{D('1234567.891'):,.2f}", sorted([D("3"), 1, 2.5]), D("1.0") == 1, hash(D("1.0")) == hash(1), D("10").ln().quantize(D("1.0000")), D(17).remainder_near(5)
