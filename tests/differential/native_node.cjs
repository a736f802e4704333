// Runs the cells of a program in node as its debugger's console would (names can be declared again, await at the top level), and
// tells what each gave. Reads a JSON list of cells from standard input, writes a JSON list of objects with the names of `Cell`.
'use strict';
const { Session } = require('node:inspector');
const { inspect, types } = require('node:util');
const { readFileSync } = require('node:fs');
const vm = require('node:vm');

const output = process.stdout.write.bind(process.stdout);
const session = new Session();
session.connect();
const post = (method, options) => new Promise((resolve, reject) => {
  session.post(method, options, (error, result) => (error ? reject(error) : resolve(result)));
});

// Whether a value is of types alone that cross as JSON.
const plain = (v, depth = 0) => {
  if (v === null || typeof v === 'boolean' || typeof v === 'string') return true;
  if (typeof v === 'number') return Number.isSafeInteger(v) ? !Object.is(v, -0) : Math.abs(v) > 1e-4 && Math.abs(v) < 1e15;
  if (typeof v !== 'object' || depth > 50 || types.isProxy(v) || 'toJSON' in v) return false;
  if (Object.prototype.toString.call(v) !== (Array.isArray(v) ? '[object Array]' : '[object Object]')) return false;
  if (Object.values(Object.getOwnPropertyDescriptors(v)).some((d) => d.get)) return false;
  return Object.values(v).every((item) => item === undefined || plain(item, depth + 1));
};

// An object, and not a block with labels, if the cell parses as one expression.
const asExpression = (source) => {
  if (!/^\s*\{/.test(source)) return source;
  try {
    new vm.Script(`(${source}\n)`);
    return `(${source}\n)`;
  } catch {
    return source;
  }
};

let got;
globalThis[Symbol.for('got')] = (value) => { got = value; };

const fetchValue = async (remote) => {
  const argument = remote.objectId ? { objectId: remote.objectId }
    : remote.unserializableValue ? { unserializableValue: remote.unserializableValue } : { value: remote.value };
  const { result } = await post('Runtime.evaluate', { expression: 'globalThis' });
  await post('Runtime.callFunctionOn', {
    functionDeclaration: `function (value) { this[Symbol.for('got')](value); }`, objectId: result.objectId, arguments: [argument],
  });
  return got;
};

const ENGINE_ERRORS = ['TypeError', 'ReferenceError', 'SyntaxError', 'RangeError', 'URIError', 'AggregateError'];
const errorText = (thrown) => {
  if (!(thrown instanceof Error)) {
    const kind = thrown === null ? 'null' : typeof thrown === 'object' ? thrown.constructor?.name ?? 'Object' : typeof thrown;
    return `${kind}: ${inspect(thrown)}`;
  }
  return ENGINE_ERRORS.includes(thrown.name) || thrown.message === '' ? thrown.name : `${thrown.name}: ${thrown.message}`;
};

const run = async (source) => {
  const told = { stdout: '', stderr: '', error: '', shown: '', value: '' };
  for (const name of ['stdout', 'stderr']) {
    process[name].write = (text) => { told[name] += text; return true; };
  }
  const answer = await post('Runtime.evaluate', { expression: asExpression(source), replMode: true, awaitPromise: true });
  // What a cell has left to do at once belongs to it.
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
  const value = await fetchValue(answer.exceptionDetails ? answer.exceptionDetails.exception : answer.result);
  if (answer.exceptionDetails) {
    told.error = errorText(value);
  } else if (value !== undefined) {
    told.shown = inspect(value);
    if (plain(value)) told.value = JSON.stringify(value);
  }
  return told;
};

(async () => {
  const all = [];
  for (const source of JSON.parse(readFileSync(0, 'utf8'))) all.push(await run(source));
  process.stdout.write = output;
  output(JSON.stringify(all));
  session.disconnect();
})();
