import functools

def logged(prefix):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            print(prefix, f.__name__, args, kwargs)
            return f(*args, **kwargs)
        return inner
    return wrap

@logged("call")
@functools.lru_cache(maxsize=None)
def fib(n):
    "Fibonacci."
    return n if n < 2 else fib(n - 1) + fib(n - 2)

fib(3), fib.__doc__, fib.__wrapped__.cache_info().misses
# --- cell
class Registry(dict):
    def __call__(self, f):
        self[f.__name__] = f
        return f

registry = Registry()
@registry
def one(): pass
list(registry)
