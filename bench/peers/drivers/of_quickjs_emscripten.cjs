'use strict';

const { main, load } = require('./driver.cjs');

main(async () => {
  const { getQuickJS } = await load('quickjs-emscripten');
  const QuickJS = await getQuickJS();
  const kept = QuickJS.newContext();
  const evaluate = (vm, code) => {
    const handle = vm.unwrapResult(vm.evalCode(code));
    const value = vm.dump(handle);
    handle.dispose();
    return value;
  };
  return {
    fresh(expression) {
      const vm = QuickJS.newContext();
      const value = evaluate(vm, expression);
      vm.dispose();
      return value;
    },
    define: code => { evaluate(kept, code + '; 0') },
    evaluate: expression => evaluate(kept, expression),
    callLoop(kind, count) {
      kept.newFunction('tool', i => kept.newNumber(kept.getNumber(i))).consume(made => kept.setProp(kept.global, 'tool', made));
      evaluate(kept, `for (let i = 0; i < ${count}; i++) tool(i)`);
    },
    // It has no values, only handles; text is what its users send.
    gives(value) {
      kept.newFunction('give', () => kept.newString(JSON.stringify(value))).consume(made => kept.setProp(kept.global, 'give', made));
      return evaluate(kept, 'globalThis.rows = JSON.parse(give()); rows.length');
    },
  };
});
