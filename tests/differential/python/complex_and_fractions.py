(1 + 2j) * (3 - 1j), abs(3 + 4j), (1j) ** 2, complex("1+2j"), (2 + 0j).conjugate(), complex(0, -0.0)
# --- cell
from fractions import Fraction as F
F(1, 3) + F(1, 6), F("0.125"), F(0.5), F(7, -21), F(22, 7).limit_denominator(5), float(F(1, 8)), F(3, 2) // 1, round(F(5, 2))
# --- cell
import cmath
cmath.sqrt(-4), cmath.phase(-1), cmath.polar(1j), cmath.isinf(complex("inf"))
# --- cell
F(1, 0)
# --- cell
f"{F(1, 3):.4f}", f"{1.5 + 2j:.1f}", 1j < 2j
