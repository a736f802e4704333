// V8 itself, with its compilers: no sandbox (node:vm is none), only what the programs cost in it.
'use strict';

const vm = require('node:vm');
const { main } = require('./driver.cjs');

main(async () => ({
  fresh: expression => vm.runInNewContext(expression),
  define: code => vm.runInThisContext(code),
  evaluate: expression => vm.runInThisContext(expression),
  gives: value => JSON.parse(JSON.stringify(value)).length,
}));
