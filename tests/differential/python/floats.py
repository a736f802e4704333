0.1 + 0.2, 1e16, 1e-5, 123456789.123456789, 1e22, 5e-324, 1.7976931348623157e308, -0.0, 1/3, 100.0, 2.5e-8
# --- cell
float("inf"), float("-inf"), float("nan"), float("1_0.5"), float(" 3 ")
# --- cell
round(2.675, 2), round(1e20, 3), f"{3.14159:.2f}", f"{1e10:g}", f"{0.00001:e}", f"{1234.5:,.1f}", f"{0.25:.0%}", f"{2.0}", f"{1e100:.3}"
# --- cell
(0.5).hex(), float.fromhex("0x1.8p3"), (0.75).as_integer_ratio(), (3.0).is_integer(), 7.5 // 2, -7.5 % 2, divmod(7.5, -2)
# --- cell
import math
math.fsum([0.1] * 10), sum([0.1] * 10), math.hypot(3, 4, 12), math.nextafter(1, 2), math.ulp(1.0), math.copysign(1, -0.0), math.isclose(0.1 + 0.2, 0.3)
# --- cell
math.sqrt(-1)
# --- cell
float("nan") == float("nan"), float("nan") in [float("nan")], max(1.0, float("nan")), 0.0 == -0.0
# --- cell
1e200 * 1e200, 10.0 ** -400
