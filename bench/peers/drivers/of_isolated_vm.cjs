'use strict';

const { main, load } = require('./driver.cjs');

main(async () => {
  const ivm = await load('isolated-vm');
  const kept = new ivm.Isolate({ memoryLimit: 512 }).createContextSync();
  return {
    fresh(expression) {
      const isolate = new ivm.Isolate({ memoryLimit: 128 });
      const value = isolate.createContextSync().evalSync(expression);
      isolate.dispose();
      return value;
    },
    define: code => { kept.evalSync(code + '; 0') },
    evaluate: expression => kept.evalSync(expression),
    callLoop(kind, count) {
      kept.global.setSync('tool', new ivm.Callback(i => i));
      kept.evalSync(`for (let i = 0; i < ${count}; i++) tool(i); 0`);
    },
    gives(value) {
      kept.global.setSync('give', new ivm.Reference(() => new ivm.ExternalCopy(value).copyInto()));
      return kept.evalSync('globalThis.rows = give.applySync(); rows.length');
    },
  };
});
