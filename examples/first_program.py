"""A first program: two languages, one contract."""

from wasmhost import JavaScriptRuntime, Limits, PythonRuntime

with PythonRuntime() as python, JavaScriptRuntime() as javascript:
    result = python.run("import statistics\nprices = [3, 5, 8]\nprint('mean', statistics.mean(prices))\nsum(prices)")
    print(result.stdout, result.value)

    result = javascript.run("const prices = [3, 5, 8]; console.log('sorted', prices.toSorted()); Math.max(...prices)")
    print(result.stdout, result.value)

    # Variables live from cell to cell; a failure is a result, and the session goes on after it.
    result = python.run("prices[7]")
    if not result.ok:
        print(result.error)

    # An endless loop is stopped, and what the session held is kept.
    result = javascript.run("while (true) {}", limits=Limits(script_ms=50))
    print(result.ok, result.stop)
    print(javascript.run("prices.length").value)
