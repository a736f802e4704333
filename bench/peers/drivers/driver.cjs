// As driver.py: `cold` evaluates 1 + 1 and ends; `serve` answers requests, one a line. Packages are those of the folder
// that it runs in.
'use strict';

const readline = require('node:readline');
const { createRequire } = require('node:module');

const ROWS = 60000;
const CALLS = 500;

class NotThere extends Error {}

const fromHere = createRequire(process.cwd() + '/');
const load = async name => {
  const found = await import(fromHere.resolve(name));
  return found.default && Object.keys(found).length <= 2 ? found.default : found;
};

const now = () => Number(process.hrtime.bigint()) / 1e6;

function rows() {
  return Array.from({ length: ROWS }, (_, i) => (
    { id: i, name: `row number ${i} ` + 'x'.repeat(80), price: i * 0.25, ok: i % 2 === 0, note: null, at: [i, -i] }));
}

function expect(value, wanted) {
  if (Number(value) !== wanted) throw new Error(`${value} instead of ${wanted}`);
}

function has(peer, name) {
  if (!peer[name]) throw new NotThere(name === 'evaluate' || name === 'define' ? 'no session' : 'no functions of the host');
}

let value = null;

const MEASURES = {
  async new(peer, request) {
    const samples = [];
    for (let i = 0; i < request.n; i++) {
      const started = now();
      const found = await peer.fresh('1 + 1');
      samples.push(now() - started);
      expect(found, 2);
    }
    return samples;
  },
  async repeat(peer, request) {
    has(peer, 'evaluate');
    await peer.evaluate('1 + 1');
    const started = now();
    let found;
    for (let i = 0; i < request.n; i++) found = await peer.evaluate('1 + 1');
    const took = (now() - started) / request.n;
    expect(found, 2);
    return [took];
  },
  async call(peer, request) {
    has(peer, 'callLoop');
    // The first one after other work finds cold caches.
    await peer.callLoop(request.kind, CALLS);
    const samples = [];
    for (let i = 0; i < 3; i++) {
      const started = now();
      await peer.callLoop(request.kind, CALLS);
      samples.push((now() - started) / CALLS);
    }
    return samples;
  },
  async cpu(peer, request) {
    await peer.define(request.code);
    const started = now();
    const found = await peer.evaluate(request.value);
    const took = now() - started;
    expect(found, request.answer);
    return [took];
  },
  async rate(peer, request) {
    const started = now(), until = started + request.seconds * 1000;
    let count = 0;
    for (; now() < until; count++) await peer.fresh('1 + 1');
    return [count / (now() - started) * 1000];
  },
  async gives(peer) {
    has(peer, 'gives');
    value ??= rows();
    const started = now();
    const seen = await peer.gives(value);
    const took = now() - started;
    expect(seen, ROWS);
    return [took];
  },
  async takes() {
    throw new NotThere('not measured');
  },
};

exports.load = load;
exports.stateless = run => {
  let defined = '';
  return {
    fresh: expression => run('', expression),
    define: code => { defined = code },
    evaluate: expression => run(defined, expression),
  };
};

exports.main = async make => {
  if (process.argv[2] === 'cold') {
    const peer = await make();
    expect(await peer.fresh('1 + 1'), 2);
    process.exit(0);
  }
  let peer = null;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let answer;
    const request = JSON.parse(line);
    try {
      peer ??= await make();
      answer = { samples: await MEASURES[request.do](peer, request) };
    } catch (error) {
      answer = { error: `${error?.name}: ${error?.message}`.slice(0, 300), lacks: error instanceof NotThere };
    }
    process.stdout.write(JSON.stringify(answer) + '\n');
  }
  process.exit(0);
};
