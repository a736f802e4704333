// What the client has beside the contract, over both kinds of connections.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import {
  HttpConnection,
  JavaScriptRuntime,
  Opaque,
  PythonRuntime,
  StdioConnection,
  WasmhostError,
  encode,
  revive,
} from "../dist/wasmhost.js";

const { WASMHOST_URL: url, WASMHOST_SERVE_TOKEN: token } = process.env;
const connections = { stdio: new StdioConnection() };
if (url !== undefined) connections.http = new HttpConnection({ url, token });
after(() => Promise.all(Object.values(connections).map((one) => one.close())));

for (const [name, connection] of Object.entries(connections)) {
  test(`${name}: code calls functions of this program`, async () => {
    const seen = [];
    const capabilities = [
      {
        name: "price",
        description: "What an item costs.",
        inputSchema: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
        call: async ({ item }) => {
          seen.push(item);
          if (item === "gold") throw new RangeError("too dear");
          return { item, price: 3.5, when: new Date(0), tags: new Set(["a"]), raw: new Uint8Array([1, 2]), big: 2n ** 70n };
        },
      },
      { name: "other", call: () => undefined },
    ];
    const python = new PythonRuntime({ connection, capabilities });
    const result = await python.execute(
      "r = await tools.price(item='tea')\n" +
        "[r['price'] * 2, r['when'].year, r['tags'], r['raw'], r['big'] == 2**70, await tools.other()]",
    );
    assert.ok(result.ok, result.error);
    assert.deepEqual(result.value, [7, 1970, new Set(["a"]), new Uint8Array([1, 2]), true, null]);
    assert.deepEqual(result.details.calls.map((one) => one.state), ["completed", "completed"]);
    const failed = await python.execute("try:\n    await tools.price(item='gold')\nexcept Exception as e:\n    print(type(e).__name__, e)");
    assert.match(failed.stdout, /too dear/);
    const wrong = await python.execute("await tools.price(item=5)");
    assert.match(wrong.error, /TypeError/);
    assert.deepEqual(seen, ["tea", "gold"]);
    const typescript = new JavaScriptRuntime({ connection, capabilities });
    const many = await typescript.execute(
      "return (await Promise.all(['a', 'b', 'c'].map((item: string) => tools.price({ item })))).map((one: any) => one.item)",
    );
    assert.deepEqual(many.value, ["a", "b", "c"]);
  });

  test(`${name}: what must be approved is asked about, and else denied`, async () => {
    const asked = [];
    const capabilities = [{ name: "send", decision: "ask", call: ({ to }) => `sent to ${to}` }];
    const approve = (request) => {
      asked.push(request);
      return request.arguments.to === "bob";
    };
    const schema = { type: "object", properties: { to: { type: "string" } } };
    capabilities[0].inputSchema = schema;
    const runtime = new JavaScriptRuntime({ language: "javascript", connection, capabilities, approve });
    assert.equal((await runtime.execute("return await tools.send({ to: 'bob' })")).value, "sent to bob");
    const denied = await runtime.execute("return await tools.send({ to: 'eve' })");
    assert.match(denied.error, /denied/);
    assert.equal(asked[0].name, "send");
    assert.match(asked[0].text, /to = 'bob'/);
    const alone = new JavaScriptRuntime({ language: "javascript", connection, capabilities });
    assert.match((await alone.execute("return await tools.send({ to: 'bob' })")).error, /denied/);
    assert.equal(asked.length, 2);
  });

  test(`${name}: output comes while code runs, and a call that is given up is aborted`, async () => {
    const heard = [];
    let aborted = false;
    const waits = {
      name: "waits",
      call: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            resolve(null);
          });
        }),
    };
    const controller = new AbortController();
    const runtime = new PythonRuntime({
      connection,
      capabilities: [waits],
      onOutput: (stream, text) => {
        heard.push([stream, text]);
        controller.abort();
      },
    });
    const code = "x = 1\nprint('begun é', flush=True)\nawait tools.waits()";
    await assert.rejects(runtime.execute(code, { signal: controller.signal }), { name: "AbortError" });
    assert.deepEqual(heard, [["stdout", "begun é\n"]]);
    for (let i = 0; i < 200 && !aborted; i++) await new Promise((done) => setTimeout(done, 20));
    assert.ok(aborted);
    assert.equal((await runtime.execute("2 + 2")).value, 4);
  });

  test(`${name}: snapshots, variables and instructions`, async () => {
    const one = new PythonRuntime({ connection });
    await one.execute("x = {'a': [1, 2]}");
    const saved = await one.snapshot();
    await one.execute("x = None");
    const two = new PythonRuntime({ connection });
    await two.restore(saved);
    assert.deepEqual((await two.execute("x")).value, { a: [1, 2] });
    assert.deepEqual((await two.describe()).map((variable) => variable.name), ["x"]);
    assert.match(await two.instructions(), /Running code: Python/);
    await assert.rejects(two.restore(new Uint8Array(100)), (error) => {
      assert.ok(error instanceof WasmhostError);
      assert.equal(error.data.type, "SnapshotError");
      return true;
    });
    assert.deepEqual((await two.execute("x")).value, { a: [1, 2] });
    await one.close();
    await two.close();
  });

  test(`${name}: many cells of many sessions at a time`, async () => {
    const runtimes = Array.from({ length: 4 }, () => new JavaScriptRuntime({ connection, language: "javascript" }));
    const jobs = runtimes.flatMap((runtime, i) => Array.from({ length: 5 }, (_, j) => runtime.execute(`return ${i * 10 + j}`)));
    const values = (await Promise.all(jobs)).map((result) => result.value);
    assert.deepEqual(values, [0, 1, 2, 3].flatMap((i) => [0, 1, 2, 3, 4].map((j) => i * 10 + j)));
    await Promise.all(runtimes.map((runtime) => runtime.close()));
  });
}

test("values that JSON does not have come back as what they were", () => {
  const values = [1n << 80n, NaN, -Infinity, -0, new Set([1, "a"]), new Map([[{ a: 1 }, 2]]), new Date(5), { $wasmhost: 1 }];
  for (const value of values) assert.deepEqual(revive(JSON.parse(JSON.stringify(encode(value)))), value);
  assert.deepEqual(encode({ a: undefined, b: [undefined] }), { b: [null] });
  assert.throws(() => encode(() => 1), TypeError);
  const hostile = revive(JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'));
  assert.equal({}.polluted, undefined);
  assert.equal(hostile.polluted, undefined);
  assert.deepEqual(Object.keys(hostile), ["__proto__", "constructor"]);
  assert.ok(revive({ $wasmhost: "decimal", v: "1.50" }) instanceof Opaque);
  assert.equal(revive({ $wasmhost: "str", v: [0xd800] }), "\ud800");
});

test("wrong options are told at once", () => {
  assert.throws(() => new JavaScriptRuntime({ timeoutMs: 0 }), RangeError);
  assert.throws(() => new JavaScriptRuntime({ language: "python" }), RangeError);
});

test("a program that is not there is told", async () => {
  const connection = new StdioConnection({ command: ["/no/such/program"] });
  const runtime = new PythonRuntime({ connection });
  await assert.rejects(runtime.execute("1"), /could not be started/);
});

test("a program that uses it ends by itself, and takes the server with it", async () => {
  const file = new URL("../dist/wasmhost.js", import.meta.url);
  const code = `import { JavaScriptRuntime } from ${JSON.stringify(file.href)};
    console.log((await new JavaScriptRuntime().execute("return 6 * 7")).value)`;
  const words = ["--input-type=module", "-e", code];
  assert.equal(execFileSync(process.execPath, words, { timeout: 60_000, encoding: "utf8" }), "42\n");
});

test("a program that is killed leaves no server behind", async () => {
  const file = new URL("../dist/wasmhost.js", import.meta.url);
  const code = `import { JavaScriptRuntime, StdioConnection } from ${JSON.stringify(file.href)};
    const connection = new StdioConnection();
    console.log(connection.child.pid);
    await new JavaScriptRuntime({ connection, timeoutMs: 60_000 }).execute("for (;;) {}")`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const pid = Number(await new Promise((told) => child.stdout.once("data", (data) => told(String(data)))));
  await new Promise((done) => setTimeout(done, 500));
  child.kill("SIGKILL");
  for (let i = 0; i < 500 && alive(pid); i++) await new Promise((done) => setTimeout(done, 20));
  assert.ok(!alive(pid));
});

function alive(pid) {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
