// Python in node. On node it is no boundary; its speed is what is of interest.
'use strict';

const { main, load } = require('./driver.cjs');

main(async () => {
  const { loadPyodide } = await load('pyodide');
  const pyodide = await loadPyodide();
  return {
    async fresh(expression) {
      const globals = pyodide.globals.get('dict')();
      const value = pyodide.runPython(expression, { globals });
      globals.destroy();
      return value;
    },
    define: code => { pyodide.runPython(code) },
    evaluate: expression => pyodide.runPython(expression),
    callLoop(kind, count) {
      pyodide.globals.set('tool', i => i);
      pyodide.runPython(`for i in range(${count}): tool(i)`);
    },
    gives(value) {
      pyodide.globals.set('give', () => pyodide.toPy(value));
      return pyodide.runPython('rows = give()\nlen(rows)');
    },
  };
});
