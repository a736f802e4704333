from capsule import task


@task(name="main", compute="1000000000000", ram="512MB")
def main(code: str) -> str:
    space = {}
    exec(code, space)
    return str(space["result"])
