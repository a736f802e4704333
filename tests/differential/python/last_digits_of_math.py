import math, statistics
statistics.geometric_mean([1, 9]), math.sqrt(2), math.exp(math.log(9) / 2)
