import inspect

def documented(a, /, b=2, *rest, c, **options):
    """Says things."""
    # a comment
    return a

class Shape:
    sides = 0

    def describe(self):
        return f"{self.sides} sides"
# --- cell
print(inspect.getsource(documented))
print(inspect.getsource(Shape.describe))
inspect.getsource(Shape)
# --- cell
str(inspect.signature(documented)), inspect.getdoc(documented), inspect.getcomments(documented)
# --- cell
inspect.getsourcelines(documented)[1], inspect.getfile(documented)
# --- cell
inspect.isfunction(documented), inspect.isclass(Shape), inspect.getmro(Shape)[-1]
