from itertools import *
list(islice(count(5, 2), 3)), list(accumulate([1, 2, 3], initial=10)), list(chain("ab", [1])), list(combinations("abc", 2)), list(permutations([1, 2, 3], 2))[:3]
# --- cell
[(k, list(g)) for k, g in groupby("aabbba")], list(zip_longest("ab", "x", fillvalue="-")), list(product("ab", repeat=2)), list(pairwise("abc")), list(batched("abcde", 2))
# --- cell
list(takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(dropwhile(lambda x: x < 3, [1, 3, 1])), list(filterfalse(bool, [0, 1])), list(starmap(pow, [(2, 3)])), list(compress("abc", [1, 0, 1]))
# --- cell
a, b = tee([1, 2, 3]); next(a), list(b), list(a), list(islice(cycle("ab"), 5)), list(repeat(7, 2)), list(combinations_with_replacement("ab", 2))
# --- cell
list(batched("abc", 2, strict=True))
