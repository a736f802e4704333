# mechanism: random numbers
# kind: endless
# ends: soft

import random
while True: random.random()
