def first[T](items: list[T]) -> T:
    return items[0]

class Box[K, *Ts, **P]:
    pass

type Tree[V] = V | list[Tree[V]]
first.__type_params__, Box.__type_params__, Tree, Tree.__value__
# --- cell
Box[int, str, [float]], Tree[int]
