def leaf():
    raise TypeError("leaf")

def make():
    errors = []
    for n in range(3):
        try:
            if n == 1:
                leaf()
            raise ValueError(n)
        except Exception as e:
            errors.append(e)
    return ExceptionGroup("several", errors[:2] + [ExceptionGroup("nested", errors[2:])])
# --- cell
raise make()
# --- cell
group = make()
match, rest = group.split(TypeError)
match, rest, group.subgroup(lambda e: isinstance(e, ValueError))
