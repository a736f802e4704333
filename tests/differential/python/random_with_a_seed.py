import random
random.seed(42)
random.random(), random.randint(1, 100), random.choice("abc"), random.sample(range(50), 4), random.shuffle(x := list(range(5))), x
# --- cell
r = random.Random("text")
r.gauss(0, 1), r.uniform(1, 2), r.choices("ab", weights=[1, 9], k=5), r.getrandbits(40), r.betavariate(1, 2), r.randbytes(3)
# --- cell
state = random.getstate(); a = random.random(); random.setstate(state); a == random.random()
# --- cell
random.choice([])
