import math
values = [1, 2]
vlaues
# --- cell
math.squrt(2)
# --- cell
class Point:
    def __init__(self):
        self.colour = 1

Point().color
# --- cell
def area(width):
    return widht * 2

area(1)
# --- cell
from math import sqroot
# --- cell
Point(colour=1)
# --- cell
print(sys.version)
