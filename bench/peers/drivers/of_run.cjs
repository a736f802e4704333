'use strict';

const { main, load, stateless } = require('./driver.cjs');

main(async () => {
  const { createRunner, run } = await load('run');
  const checked = result => {
    if (result.status !== 'completed') throw new Error(JSON.stringify(result).slice(0, 200));
    return result.value;
  };
  return {
    ...stateless(async (code, expression) => checked(await run({ source: `${code}\nreturn ${expression}` }))),
    async callLoop(kind, count) {
      const source = `for (let i = 0; i < ${count}; i++) await tools.tool(i)`;
      checked(await run({ source, hostFunctions: { tools: { tool: i => i } }, limits: { maxBridgeRequests: 1e6 } }));
    },
    async gives(value) {
      const source = 'const rows = await tools.give(); return rows.length';
      return checked(await run({ source, hostFunctions: { tools: { give: () => value } } }));
    },
  };
});
